import LiveObjectsAnalysis

/// A comparison for people: one line with the numbers, new findings in full, one line for each other change.
struct ComparisonText {
  /// Ends with a line end.
  let text: String

  init(_ comparison: Report.Comparison, in report: Report, _ renderer: TextRenderer) {
    var page = TextPage(color: renderer.color, width: renderer.width)
    if let doubt = Self.doubt(about: report) { page.add("LiveObjects: \(doubt)", style: .bold) }
    page.add("LiveObjects: \(Self.verdict(of: comparison))\(Self.failure(of: report))", style: .bold)
    page.add(new: Cause.all(of: comparison.new.map(\.finding)))
    page.add("Grown", comparison.grown)
    page.add("Gone", comparison.gone)
    page.add(types: comparison.types)
    page.add(notes: report.notes)
    text = page.text
  }

  /// Why findings of the later report may be missing, so that they seem to be gone.
  private static func doubt(about report: Report) -> String? {
    if !report.tracking.wasWatched {
      return "NOTHING WAS WATCHED in the later run, so what is gone is unknown"
    }
    return report.tracking.evaluationFailure
      ?? (report.tracking.sawEverything
        ? nil : "the later recording is incomplete: what is gone may still exist")
  }

  private static func verdict(of comparison: Report.Comparison) -> String {
    "\(Count.grouped(comparison.new.count)) new, \(Count.grouped(comparison.gone.count)) gone, "
      + "\(Count.grouped(comparison.grown.count)) grown, \(Count.grouped(comparison.same)) the same"
  }

  private static func failure(of report: Report) -> String {
    let failing = report.failingFindings.count
    guard failing > 0, let failOn = report.run.failOn else { return "" }
    return "; \(Count.of(failing, "finding fails", "findings fail")) (--fail-on \(failOn.rawValue))"
  }
}

extension TextPage {
  private static let listedTests = 5
  private static let listedTypes = 10

  fileprivate mutating func add(new causes: [Cause]) {
    guard !causes.isEmpty else { return }
    add(heading: "New")
    for cause in causes {
      for line in FindingText(cause.sum).lines { add("  \(line)") }
      let tests = Count.list(cause.tests.map(\.description), atMost: Self.listedTests, "test", "tests")
      if !tests.isEmpty { add("    in \(tests)") }
    }
  }

  fileprivate mutating func add(_ heading: String, _ changes: [Report.Comparison.Change]) {
    guard !changes.isEmpty else { return }
    add(heading: heading)
    for change in changes {
      let numbers = "\(Count.grouped(change.before)) → \(Count.grouped(change.after))"
      let test = TestName(of: change.finding).map { ", \($0.id)" } ?? ""
      add("  \(change.finding.title)  \(numbers)\(test)")
    }
  }

  fileprivate mutating func add(types: [Report.Comparison.TypeChange]) {
    guard !types.isEmpty else { return }
    add(heading: "Live instances by type")
    for type in types.prefix(Self.listedTypes) {
      add("  \(type.type)  \(Count.grouped(type.before)) → \(Count.grouped(type.after))")
    }
    let more = Count.more(than: Self.listedTypes, of: types.count, "type", "types")
    if let more { add("  … \(more); the JSON report has them all") }
  }

  private mutating func add(heading: String) {
    add()
    add("\(heading):")
  }
}
