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
    findings = Self.merged(captures.flatMap(\.analysis.findings))
    tests = Test.all(of: captures, findings: findings)
    released = captures.flatMap(\.analysis.released)
    tracking = Tracking(of: captures.map(\.capture), notes: notes + TestNotes.notes(for: tests))
    types = Self.merged(captures.flatMap(\.analysis.types))
  }

  /// Whether every process was watched, no object was dropped, the selected tests ran, every test was
  /// evaluated and there are no findings.
  public var isClean: Bool {
    tracking.sawEverything && !ranNoTest && tests.allSatisfy(\.outcome.isAccountable)
      && unevaluatedTests.isEmpty
      && findings.isEmpty && tracking.restriction == nil
  }

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
  private var holdersAreUnread: Bool {
    tracking.missesRoots && findings.contains { FailOn.growth.includes($0) && $0.verdict == .growth }
  }

  /// The status where nothing was watched, or leaks could not be evaluated.
  package static let statusOfNothingWatched: Int32 = 3

  /// Whether test processes were watched to their ends, and no test was selected.
  var ranNoTest: Bool { tests.isEmpty && tracking.listedTests && tracking.unevaluated.isEmpty }
}

extension Report {
  static func merged(_ findings: [Finding]) -> [Finding] {
    Dictionary(grouping: findings, by: Finding.Key.init).values.map(Finding.merged)
      .sorted(by: Finding.precedes)
  }

  /// - Parameter limit: the call sites that a type keeps.
  static func merged(_ types: [TypeGrowth], limit: Int = TypeCallSites.maximumListed) -> [TypeGrowth] {
    Dictionary(grouping: types) { [$0.type, $0.kind.rawValue] }
      .values.map { TypeGrowth.merged($0, limit: limit) }
      .sorted(by: TypeGrowth.mostGrown)
  }
}

extension Analysis {
  /// Takes over what the analyses of other processes found, and leaves these empty. A report on all of them stays the
  /// same, as long as no tests ran in them, and needs no more memory for more processes.
  package mutating func merge(_ others: inout [Analysis]) {
    findings = Report.merged(findings + others.flatMap(\.findings))
    types = Report.merged(types + others.flatMap(\.types), limit: .max)
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

extension Finding {
  /// Merges equal findings of several processes or tests into one.
  ///
  /// - Parameter same: at least one.
  static func merged(_ same: [Finding]) -> Finding {
    guard same.count > 1 else { return same[0] }
    var merged = same.dropFirst().reduce(into: same[0]) { $0.add($1) }
    merged.allocatedAt = CallSite.merged(same.flatMap(\.allocatedAt))
    merged.retainedAt = RetainingCallSite.merged(same.flatMap(\.retainedAt))
    merged.hint = Hint.merged(same.compactMap(\.hint))
    return merged
  }
}

extension TypeGrowth {
  /// Merges the instances of the same type in several processes.
  fileprivate static func merged(_ same: [Self], limit: Int) -> Self {
    var merged = same.dropFirst().reduce(into: same[0]) { $0.merge($1) }
    merged.allocatedAt = Array(Finding.CallSite.merged(same.flatMap(\.allocatedAt)).prefix(limit))
    return merged
  }
}

extension Finding.CallSite {
  /// Merges equal call sites; most instances first.
  fileprivate static func merged(_ sites: [Self]) -> [Self] {
    sites.mergingEqual(by: \.frames) {
      $0.instances += $1.instances
      $0.bytes.add(saturating: $1.bytes)
      $0.isEstimated = $0.isEstimated || $1.isEstimated
      $0.types = Set($0.types + $1.types).sorted()
    }
    .sortedStably { $0.instances }
  }
}

extension Finding.RetainingCallSite {
  /// Retains without a release.
  var unmatched: Int { retains - releases }

  /// Merges equal call sites; most missing releases first.
  fileprivate static func merged(_ sites: [Self]) -> [Self] {
    sites.mergingEqual(by: \.frames) {
      $0.retains += $1.retains
      $0.releases += $1.releases
    }
    .sortedStably { $0.unmatched }
  }
}

extension Array {
  /// One element for each key, in the order of their first appearance.
  fileprivate func mergingEqual<Key: Hashable>(
    by key: (Element) -> Key, _ merge: (inout Element, Element) -> Void
  ) -> [Element] {
    var positions: [Key: Int] = [:]
    return reduce(into: []) { merged, element in
      if let position = positions[key(element)] {
        merge(&merged[position], element)
      } else {
        positions[key(element)] = merged.count
        merged.append(element)
      }
    }
  }

  /// The greatest first; equals stay in their order, so that sorting gives the same in every run.
  fileprivate func sortedStably(by rank: (Element) -> some Comparable) -> [Element] {
    enumerated()
      .sorted { (rank($1.element), $0.offset) < (rank($0.element), $1.offset) }
      .map(\.element)
  }
}
