import LiveObjectsAnalysis
import LiveObjectsCapture

/// Everything a renderer shows: tracking state, tests, findings, growth by type.
public struct Report: Sendable {
  /// The command that made the report.
  public var run = Run()
  public var tracking: Tracking
  /// The programs the report is about: executable and process id.
  public var processes: [ProcessDescription]
  /// The tests in the order in which they began; empty for a program that runs no tests.
  public var tests: [Test]
  /// Most instances first.
  public var findings: [Finding]
  /// Findings that tests failed with and whose objects have been deallocated since.
  package var released: [Finding]
  /// What became of the baseline and of the suppressions.
  public var accepted = Accepted()
  /// Types with the most growth first.
  public var types: [TypeGrowth]
  /// What changed since an earlier report, if the report was compared with one.
  public var comparison: Comparison?

  /// Merges the captures of one run (a program and its child processes) into one report.
  ///
  /// - Parameters:
  ///   - captures: the captures with their analyses.
  ///   - notes: sentences about what degraded the report.
  public init(of captures: [(capture: Capture, analysis: Analysis)], notes: [String] = []) {
    processes = captures.map(\.capture.process)
    findings = Finding.merged(captures.flatMap(\.analysis.findings), by: Finding.Key.init)
    tests = Test.all(of: captures, findings: findings)
    released = captures.flatMap(\.analysis.released)
    tracking = Tracking(of: captures.map(\.capture), notes: notes + TestNotes.notes(for: tests))
    types = TypeGrowth.merged(captures.flatMap(\.analysis.types))
  }

  /// Whether every process was watched, no object was dropped, the selected tests ran, every test was
  /// evaluated and there are no findings.
  public var isClean: Bool {
    tracking.sawEverything && !ranNoTest && tests.allSatisfy(\.outcome.isAccountable)
      && unevaluatedTests.isEmpty
      && findings.isEmpty && tracking.restriction == nil
  }

  /// What the memory of the only process is used for, if that was counted.
  var memory: MemoryAccount? { processes.count == 1 ? processes[0].memory : nil }

  /// Human-readable sentences about what degraded the report, and about leaks that were released later.
  public var notes: [String] { tracking.notes + TestNotes.notes(onReleased: releasedLater) }

  /// The leaks of `released` that no baseline or suppression accepts.
  var releasedLater: [Finding] { released.filter { $0.acceptance == nil } }

  /// Tests whose leaks are unknown: where there are any, "no leaks found" means nothing.
  public var unevaluatedTests: [Test] { tests.filter { $0.evaluation == .impossible } }

  /// The findings that make the run fail, most important first.
  public var failingFindings: [Finding] { run.failOn.map { findings.filter($0.includes) } ?? [] }

  /// The status of a command that ends because of the report alone: 3 if nothing was watched or leaks could not
  /// be evaluated, 1 if findings fail, 3 if objects may be leaks for lack of memory that was read, else 0.
  package var status: Int32 {
    guard tracking.wasWatched, tracking.unevaluated.isEmpty else { return Self.statusOfNothingWatched }
    guard failingFindings.isEmpty else { return 1 }
    return holdersAreUnread ? Self.statusOfNothingWatched : 0
  }

  /// Whether objects of the program are left whose holder may lie in memory that was not read, or which leak. Where none
  /// are left, nothing leaks, whatever was read.
  var holdersAreUnread: Bool {
    tracking.missesRoots && findings.contains { FailOn.growth.includes($0) && $0.verdict == .growth }
  }

  /// The status where nothing was watched, or leaks could not be evaluated.
  package static let statusOfNothingWatched: Int32 = 3

  /// Whether test processes were watched to their ends, and no test was selected.
  var ranNoTest: Bool { tests.isEmpty && tracking.listedTests && tracking.unevaluated.isEmpty }
}

extension Analysis {
  /// Takes over what the analyses of other processes found, and leaves these empty. A report on all of them stays the
  /// same, as long as no tests ran in them, and needs no more memory for more processes.
  package mutating func merge(_ others: inout [Analysis]) {
    findings = Finding.merged(findings + others.flatMap(\.findings), by: Finding.Key.init)
    types = TypeGrowth.merged(types + others.flatMap(\.types), limit: .max)
    released += others.flatMap(\.released)
    for index in others.indices {
      (others[index].findings, others[index].types, others[index].released) = ([], [], [])
    }
  }
}

extension Report {
  /// The command that made a report, and its settings.
  public struct Run: Sendable, Hashable {
    /// The version of the tool.
    public static let toolVersion = "0.1.0"

    /// The version of Swift in `PATH`, `6.3.1` for instance; `nil` where there is none.
    public var toolchain: String?
    /// `liveobjects` with its arguments; empty for a report without a command.
    public var command: [String] = []
    /// The settings of the watched processes, in the syntax of `LIVEOBJECTS_OPTIONS`.
    public var options = ""
    /// The findings that the exit status counts; `nil` for a report without a command.
    public var failOn: FailOn? = .leaks
    /// The folder that paths of source files are relative to, without a slash at the end; `nil` for absolute paths.
    public var folder: String?

    public init() {}

    /// The path relative to `folder`, if it is in there; else as it is.
    package func relative(_ path: String) -> String {
      guard let folder, path.hasPrefix(folder + "/") else { return path }
      return String(path.dropFirst(folder.count + 1))
    }
  }
}

/// The findings that make a run fail. Each choice includes those before it.
public enum FailOn: String, Sendable, CaseIterable {
  /// Unreachable objects.
  case leaks
  /// Also objects that are a leak or in use: what would decide it could not be read.
  case undecided
  /// Also reachable objects with a known holder.
  case held
  /// Also growth with an unknown holder.
  case growth
  /// Nothing fails.
  case none

  /// Whether a finding makes the run fail. Leaks of the toolchain's own libraries and known issues never do,
  /// nor does what a dependency holds by itself.
  package func includes(_ finding: Finding) -> Bool {
    finding.isActionable && !finding.isInternal && includes(FindingSection(of: finding))
  }

  func includes(_ section: FindingSection) -> Bool {
    switch section {
    case .leaks: self != .none
    case .undecided: self != .none && self != .leaks
    case .held: self == .held || self == .growth
    case .growth: self == .growth
    case .known, .libraryLeaks: false
    }
  }
}

extension TypeGrowth {
  /// The types of several processes, those of one name and kind as one, most grown first.
  ///
  /// - Parameter limit: the call sites that a type keeps.
  static func merged(_ types: [TypeGrowth], limit: Int = TypeCallSites.maximumListed) -> [TypeGrowth] {
    Dictionary(grouping: types) { [$0.type, $0.kind.rawValue] }
      .values.map { sum(of: $0, limit: limit) }
      .sorted(by: mostGrown)
  }

  private static func sum(of same: [Self], limit: Int) -> Self {
    var merged = same.dropFirst().reduce(into: same[0]) { $0.merge($1) }
    merged.allocatedAt = Array(Finding.CallSite.merged(same.flatMap(\.allocatedAt)).prefix(limit))
    return merged
  }
}
