import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report as human-readable text.
public struct TextRenderer: Sendable {
  /// Highlights with terminal colours.
  public var color: Bool

  public init(color: Bool = false) { self.color = color }

  public func render(_ report: Report) -> String {
    let failOn = report.run.failOn
    var page = TextPage(color: color)
    let causes = report.causes
    if let evaluationFailure = report.tracking.evaluationFailure {
      page.add("LiveObjects: \(evaluationFailure)", style: .bold)
    }
    page.add(TextHeadline.text(of: report, causes, failOn), style: .bold)
    if report.tracking.wasWatched {
      page.add(failingTestsOf: report, causes, failOn)
      if !causes.isEmpty { page.addLegend() }
      for section in FindingSection.allCases {
        page.add(section, causes.filter { $0.section == section }, of: report, failOn)
      }
    }
    if report.tests.isEmpty && !report.ranNoTest {
      page.add(growthOf: report.types)
    } else {
      page.add(growthUnderTestsOf: report.types)
    }
    page.add(pinnedOf: report.types)
    page.add(notes: report.notes)
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

/// The first line of a text report: the whole answer in one sentence.
enum TextHeadline {
  static func text(of report: Report, _ causes: [Cause], _ failOn: FailOn?) -> String {
    "LiveObjects: \(answer(of: report, causes, failOn))"
  }

  private static func answer(of report: Report, _ causes: [Cause], _ failOn: FailOn?) -> String {
    if !report.tracking.wasWatched {
      return
        "NOTHING WAS WATCHED\(self.place(report.processes)), so this report does not show whether anything was left behind"
        + (report.tracking.notes.first.map { ": \($0)" } ?? "")
    }
    let leaks = causes.filter { $0.section == .leaks }
    if !leaks.isEmpty { return answer(on: leaks, of: report) }
    let place = report.tests.isEmpty ? place(report.processes) : place(report)
    if report.ranNoTest { return "no test ran\(place)" }
    let own = report.findings.filter { !$0.isLibraryLeak && !$0.isInternal }
    if !own.isEmpty {
      let verdict = self.verdict(onUnleaked: own, report, failOn)
      return "\(verdict)\(leftBehind(own, report.types)) behind\(place)"
    }
    if report.tracking.sawEverything { return noUserObjects(report, place) }
    return "nothing of yours was found\(place), but the recording is incomplete"
  }

  /// `no leaks found; `, or why a command fails without leaks.
  private static func verdict(onUnleaked findings: [Finding], _ report: Report, _ failOn: FailOn?) -> String {
    let isEvaluated = report.tracking.readReferences && report.tracking.unevaluated.isEmpty
    let noLeaks = isEvaluated ? noLeaks(in: findings) : ""
    guard let failOn, findings.contains(where: failOn.includes) else {
      return noLeaks.isEmpty ? "" : "\(noLeaks); "
    }
    let what = failOn == .growth ? "held objects or growth" : "held objects"
    return (noLeaks.isEmpty ? "" : "\(noLeaks), but ")
      + "the run fails because of \(what) (`--fail-on \(failOn.rawValue)`); "
  }

  private static func noLeaks(in findings: [Finding]) -> String {
    findings.contains { $0.acceptance != nil && $0.isUnreachable }
      ? "no leaks found except known issues" : "no leaks found"
  }

  /// `2 leaks (1 of them probable) in 5 of 6 tests keep 20 objects (640 bytes) alive`
  private static func answer(on leaks: [Cause], of report: Report) -> String {
    let findings = leaks.flatMap(\.findings)
    let probable = leaks.count { $0.findings.contains { $0.certainty == .probable } }
    let (one, many) = probable == leaks.count ? ("probable leak", "probable leaks") : ("leak", "leaks")
    let doubt =
      probable == 0 || probable == leaks.count ? "" : " (\(Count.grouped(probable)) of them probable)"
    let number =
      Count.of(leaks.count, one, many) + doubt + (report.tests.isEmpty ? "" : place(of: leaks, report))
    return
      "\(number) \(leaks.count == 1 ? "keeps" : "keep") \(objects(of: findings, "object", "objects")) alive"
      + (report.tests.isEmpty ? place(report.processes) : "")
  }

  /// ` in 5 of 6 tests`, ` in 5 of 6 tests (7 of 8 cases) and outside of tests`
  private static func place(of leaks: [Cause], _ report: Report) -> String {
    let leaking = Set(leaks.flatMap(\.tests))
    guard !leaking.isEmpty else { return " outside of tests" }
    let (some, all) = (Set(leaking.map(\.id)).count, Set(report.tests.lazy.map(\.id)).count)
    let cases =
      report.tests.count == all
      ? "" : " (\(Count.grouped(leaking.count)) of \(Count.of(report.tests.count, "case", "cases")))"
    return " in \(Count.grouped(some)) of \(Count.of(all, "test", "tests"))\(cases)"
      + (leaks.contains(where: \.hasUnattributed) ? " and outside of tests" : "")
  }

  /// `20 objects (640 bytes)`
  private static func objects(of findings: [Finding], _ one: String, _ many: String) -> String {
    let bytes = findings.reduce(into: UInt64(0)) { $0.add(saturating: $1.bytes) }
    return "\(Count.of(findings.reduce(0) { $0 + $1.objects }, one, many)) (\(Count.bytes(bytes)))"
  }

  /// "Clean" only where nothing at all is alive: objects of library types may be the program's own too.
  private static func noUserObjects(_ report: Report, _ place: String) -> String {
    let others = report.types.filter { $0.growth > 0 }
    guard !others.isEmpty else {
      return (report.isClean ? "clean, " : "") + "nothing of yours was left behind\(place)"
    }
    let (instances, bytes) = TextPage.growth(of: others)
    return "no types of yours were left behind\(place); "
      + "\(Count.of(instances, "instance", "instances")) of other types (\(Count.bytes(bytes)))"
  }

  private static func leftBehind(_ findings: [Finding], _ growth: [TypeGrowth]) -> String {
    let collections = Set(findings.lazy.filter(\.isCollection).map(\.fingerprint)).count
    let types = Set(findings.lazy.filter { !$0.isCollection }.map(\.type))
    let others = Set(growth.lazy.filter { !$0.isUserDefined }.map(\.type))
    let whose = types.isDisjoint(with: others) ? " of yours" : ""
    let parts =
      (types.isEmpty ? [] : ["\(Count.of(types.count, "type", "types"))\(whose)"])
      + (collections == 0 ? [] : [Count.of(collections, "collection", "collections")])
    return "\(parts.joined(separator: " and ")) left " + objects(of: findings, "instance", "instances")
  }

  /// The number of tests that left objects behind, which says more than the names of their processes.
  private static func place(_ report: Report) -> String {
    let ran = Set(report.tests.lazy.map(\.id)).count
    let tests = Count.of(ran, "test", "tests") + cases(of: report, tests: ran)
    let own = report.findings.lazy.filter { !$0.isLibraryLeak && !$0.isInternal }
    let leaving = Set(own.compactMap(\.test)).count
    if leaving > 0 {
      return "; \(Count.grouped(leaving)) of \(tests) left objects behind"
    }
    guard own.isEmpty else { return ", outside of \(tests)" }
    let unevaluated = Set(report.tests.lazy.filter { !$0.outcome.isAccountable }.map(\.id)).count
    return unevaluated == 0
      ? " in \(tests)"
      : " in \(Count.grouped(ran - unevaluated)) of \(tests), the others were not evaluated"
  }

  /// ` (18 cases)`, where parameterised tests ran several times: that many are in the JSON report.
  private static func cases(of report: Report, tests: Int) -> String {
    report.tests.count == tests ? "" : " (\(Count.of(report.tests.count, "case", "cases")))"
  }

  private static func place(_ processes: [ProcessDescription]) -> String {
    guard let first = processes.first else { return "" }
    let others = processes.count - 1
    return " in \(first.label)"
      + (others > 0 ? " and \(Count.of(others, "other process", "other processes"))" : "")
  }
}
