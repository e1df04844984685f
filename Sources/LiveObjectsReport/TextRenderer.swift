import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report for people to read.
public struct TextRenderer: Sendable {
  /// Marks what matters with terminal colours.
  public var color: Bool

  public init(color: Bool = false) {
    self.color = color
  }

  public func render(_ report: Report) -> String {
    var page = TextPage(color: color)
    page.add(TextHeadline.text(of: report), style: .bold)
    if report.tracking.wasWatched {
      page.add(testsOf: report)
      for section in FindingSection.allCases { page.add(section, of: report.findings) }
    }
    page.add(growthOf: report.types)
    page.add(pinnedOf: report.types)
    page.add(notes: report.tracking.notes)
    return page.text
  }
}

extension TextPage {
  fileprivate mutating func add(notes: [String]) {
    guard !notes.isEmpty else { return }
    add()
    for note in notes { add("  note: \(note)", style: .dim) }
  }
}
