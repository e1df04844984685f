import LiveObjectsAnalysis

/// Renders a report as human-readable text, one page: the answer in one line, the numbered leaks, then a line for
/// everything else that was found.
public struct TextRenderer: Sendable {
  /// Parts of a report that are one line each unless they are requested.
  public enum Part: String, Sendable, CaseIterable {
    /// Reachable objects with a known holder.
    case held
    /// Objects whose holder is unknown.
    case growth
    /// Findings of the baseline, suppressed ones, and known issues.
    case known
    /// Leaks of the toolchain's own libraries.
    case library
    /// The tests with findings that fail.
    case tests
    /// The types with live objects.
    case types
    /// What limits the precision of the report, and cannot be changed.
    case notes
  }

  /// Highlights with terminal colours.
  public var color: Bool
  /// The parts that are listed in full.
  public var listing: Set<Part>
  /// Characters of a line; where it would be longer it is broken or cut.
  public var width: Int

  /// The width of text that does not go to a terminal.
  public static let standardWidth = 110

  /// After more lines, the answer is there again.
  private static let linesOfAScreen = 60

  public init(color: Bool = false, listing: Set<Part> = [], width: Int = standardWidth) {
    (self.color, self.listing, self.width) = (color, listing, width)
  }

  public func render(_ report: Report) -> String {
    var page = TextPage(color: color, width: width)
    let causes = report.causes
    if let evaluationFailure = report.tracking.evaluationFailure {
      page.add("LiveObjects: \(evaluationFailure)", style: .bold)
    }
    page.add(TextHeadline.text(of: report, causes), style: .bold)
    if let memory = report.memory { page.add(memorySummaryOf: memory) }
    if report.tracking.wasWatched { add(causes, of: report, to: &page) }
    if listing.contains(.types) { page.add(growthOf: report) }
    page.add(notes: report.notes + (listing.contains(.notes) ? report.tracking.details : []))
    if report.introducesItself { page.addIntroduction() }
    if page.text.utf8.lazy.filter({ $0 == UInt8(ascii: "\n") }).count > Self.linesOfAScreen {
      page.add()
      page.add(TextHeadline.text(of: report, causes), style: .bold)
    }
    return page.text
  }

  /// The first lines of a report whose details are in a file: the answer, and the causes that fail, with their fixes.
  package func summary(of report: Report) -> String {
    var page = TextPage(color: color, width: width)
    let causes = report.causes
    page.add(TextHeadline.text(of: report, causes), style: .bold)
    page.add(namesOf: report.run.failOn.map { failOn in causes.filter { $0.fails(failOn) } } ?? [])
    for (sentence, _) in report.accepted.sentences { page.add("  \(sentence).") }
    return page.text
  }

  private func add(_ causes: [Cause], of report: Report, to page: inout TextPage) {
    if listing.contains(.tests) { page.add(failingTestsOf: report, causes, report.run.failOn) }
    var number = 0
    var summaries: [SectionSummary] = []
    for section in FindingSection.allCases {
      let found = causes.filter { $0.section == section && !$0.isTestRunners(in: report) }
      guard !found.isEmpty else { continue }
      // Without references, growth is all that is known.
      let isAll = section == .growth && !report.tracking.readReferences
      if isAll || section.isListed(report.run.failOn, listing) {
        page.add(section, found, of: report, numberedFrom: &number)
      } else {
        summaries.append(SectionSummary(section, found))
      }
    }
    page.add(summaries: summaries)
    page.add(acceptedOf: report.accepted)
  }
}

extension TextPage {
  /// Adds what a user has to know who sees such a report for the first time.
  fileprivate mutating func addIntroduction() {
    add()
    add(
      "Each numbered entry is one cause: what keeps the objects alive, how to fix it, and the calls that allocated them.",
      style: .dim)
    add(
      "`liveobjects baseline` runs the tests and records their leaks as known: then only other leaks fail a test.",
      style: .dim)
  }
}

extension Report {
  /// Whether tests fail because of leaks, and the package has no baseline yet.
  fileprivate var introducesItself: Bool {
    !tests.isEmpty && accepted.baselineFile == nil && failingFindings.contains(where: \.isLeak)
  }
}
