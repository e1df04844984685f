import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report as human-readable text.
public struct TextRenderer: Sendable {
  /// Highlights with terminal colours.
  public var color: Bool
  /// The findings that the command's exit status counts; `nil` for a report without a command.
  public var failOn: FailOn?

  public init(color: Bool = false, failOn: FailOn? = .leaks) {
    (self.color, self.failOn) = (color, failOn)
  }

  public func render(_ report: Report) -> String {
    var page = TextPage(color: color)
    if let evaluationFailure = report.tracking.evaluationFailure {
      page.add("LiveObjects: \(evaluationFailure)", style: .bold)
    }
    page.add(TextHeadline.text(of: report, failOn), style: .bold)
    if report.tracking.wasWatched {
      page.add(failingTestsOf: report, failOn)
      if !report.findings.isEmpty { page.addLegend() }
      for section in FindingSection.allCases {
        page.add(section, of: report, failOn)
      }
    }
    if report.tests.isEmpty && !report.ranNoTest {
      page.add(growthOf: report.types)
    } else {
      page.add(growthUnderTestsOf: report.types)
    }
    page.add(pinnedOf: report.types)
    page.add(notes: report.tracking.notes)
    return page.text
  }
}

extension TextPage {
  private static let listedNotes = 25

  fileprivate mutating func add(notes: [String]) {
    guard !notes.isEmpty else { return }
    add()
    for note in notes.prefix(Self.listedNotes) { add("  note: \(note)", style: .dim) }
    let rest = notes.count - Self.listedNotes
    guard rest > 0 else { return }
    add("  … and \(Count.of(rest, "more note", "more notes")); the JSON report has them all", style: .dim)
  }
}
