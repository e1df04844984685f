import LiveObjectsAnalysis
import LiveObjectsCapture

/// The first line of a text report: the whole answer in one sentence.
enum TextHeadline {
  static func text(of report: Report, _ causes: [Cause]) -> String {
    "LiveObjects: \(answer(of: report, causes))\(elsewhere(in: report))"
  }

  private static func answer(of report: Report, _ causes: [Cause]) -> String {
    if !report.tracking.wasWatched {
      return
        "NOTHING WAS WATCHED\(self.place(report.processes)), so this report does not show whether anything was left behind"
        + (report.tracking.notes.first.map { ": \($0)" } ?? "")
    }
    let leaks = causes.filter { $0.section == .leaks }
    let undecided = undecided(causes)
    if !leaks.isEmpty { return answer(on: leaks, of: report) + (undecided.map { "; \($0)" } ?? "") }
    let place = report.tests.isEmpty ? place(report.processes) : place(report)
    if report.ranNoTest { return "no test ran\(self.place(report.processes))" }
    guard report.tracking.readReferences && report.tracking.unevaluated.isEmpty else {
      return unevaluated(report, place)
    }
    let gap = gap(in: report.tracking)
    if let undecided {
      return "\(undecided)\(place)\(failure(of: report)), \(gap.map { "and \($0)" } ?? "nothing else leaks")"
    }
    if let gap { return "no leaks were found\(place), but \(gap)\(failure(of: report))" }
    // Of a diff, all that was left behind counts.
    if report.run.failOn == nil, !report.findings.isEmpty { return unevaluated(report, place) }
    return "\(noLeaks(in: report))\(place)\(released(in: report))\(failure(of: report))"
  }

  private static func gap(in tracking: Report.Tracking) -> String? {
    guard tracking.sawEverything else { return "the recording is incomplete" }
    return tracking.missesRoots ? "not all memory could be read" : nil
  }

  /// `2 objects undecided (a leak or in use)`; `nil` if there are none.
  private static func undecided(_ causes: [Cause]) -> String? {
    let objects = causes.lazy.filter { $0.section == .undecided && !$0.isInternal }.reduce(0) {
      $0 + $1.objects
    }
    return objects == 0 ? nil : "\(Count.of(objects, "object", "objects")) undecided (a leak or in use)"
  }

  private static func noLeaks(in report: Report) -> String {
    if let restriction = report.tracking.restriction { return restriction.noLeaks }
    let isKnown = report.findings.contains { $0.acceptance != nil && $0.isUnreachable }
    return (isKnown ? "no new leaks" : "no leaks") + (report.releasedLater.isEmpty ? "" : " remain")
  }

  /// Where memory is that no object explains: who looks for it must not stop at "no leaks", nor at a small leak.
  private static func elsewhere(in report: Report) -> String {
    report.memory.flatMap { MemorySummary(of: $0).elsewhere }.map { "; \($0)" } ?? ""
  }

  /// Tests that had a leak when they ended, and may have failed with it.
  private static func released(in report: Report) -> String {
    let tests = Set(report.releasedLater.map(TestName.init(of:))).count
    return tests == 0 ? "" : ", but \(Count.of(tests, "test", "tests")) had left one that was released later"
  }

  /// Why a command fails without leaks.
  private static func failure(of report: Report) -> String {
    guard let failOn = report.run.failOn, !report.failingFindings.isEmpty else { return "" }
    let what =
      switch failOn {
      case .growth: "held objects or growth"
      case .undecided: "undecided objects"
      case .held, .leaks, .none: "held objects"
      }
    return ", but the run fails because of \(what) (`--fail-on \(failOn.rawValue)`)"
  }

  /// Without references it is known what was left behind, and not whether it leaks.
  private static func unevaluated(_ report: Report, _ place: String) -> String {
    let own = report.findings.filter { !$0.isLibraryLeak && !$0.isInternal }
    if own.isEmpty {
      return report.tracking.sawEverything
        ? "nothing of yours was left behind\(place)"
        : "nothing of yours was found\(place), but the recording is incomplete"
    }
    return "\(leftBehind(own, report.types)) behind\(place)"
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
    let bytes = findings.reduce(into: UInt64(0)) { $0.add(saturating: $1.ownBytes) }
    return "\(Count.of(findings.reduce(0) { $0 + $1.objects }, one, many)) (\(Count.bytes(bytes)))"
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

  /// ` in 73 tests`
  private static func place(_ report: Report) -> String {
    let ran = Set(report.tests.lazy.map(\.id)).count
    let tests = Count.of(ran, "test", "tests") + cases(of: report, tests: ran)
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
