import LiveObjectsCapture

/// The result of analysing a capture: growth per type, and findings.
public struct Analysis: Sendable {
  /// All types with objects in the capture, those that grew most first.
  public var types: [TypeGrowth]
  /// Findings about the program's own types, or about all types if requested, most instances first.
  public var findings: [Finding]
  /// Findings that tests failed with, and whose objects have been deallocated since.
  public var released: [Finding] = []
}

extension Analysis {
  /// - Parameters:
  ///   - capture: the capture to analyse.
  ///   - symbolicator: names the frames that findings show. `prepare` gets all of them first.
  ///   - options: the objects that count.
  public init(of capture: Capture, symbolicator: some Symbolicator, options: Options = Options()) {
    let unnamed = UnnamedAnalysis(of: capture, options: options)
    symbolicator.prepare(unnamed.frames, of: capture)
    self = unnamed.named(by: symbolicator)
  }

  /// The objects that count.
  public struct Options: Sendable, Hashable {
    /// Objects with a smaller sequence number are live, but not growth.
    public var baseline: UInt64
    /// Indices of the objects that count, ascending; `nil` for all. The others are there as holders only.
    public var objects: [Int]?
    /// Index of the only test whose objects count, into `Capture.tests`; `nil` for all. Objects from before
    /// it began are older objects then, whatever the baseline.
    public var test: Int?
    /// Findings for the toolchain's types and for raw buffers too, not for the program's own types only.
    public var findsSystemTypes: Bool
    /// The sequence numbers at which measured runs of the same code began, ascending; empty for a single run.
    package var runs: [UInt64] = []
    /// Whether the types that grew most have call sites.
    package var findsCallSitesOfTypes = false

    public init(
      baseline: UInt64 = 0, objects: [Int]? = nil, test: Int? = nil, findsSystemTypes: Bool = false
    ) {
      self.baseline = baseline
      self.objects = objects
      self.test = test
      self.findsSystemTypes = findsSystemTypes
    }

    func finds(_ label: TypeLabel) -> Bool {
      label.isUserDefined || findsSystemTypes
    }

    /// Whether a report shows the group's stack trace: only such traces are symbolicated, and those that name
    /// objects.
    func needsTrace(_ group: ObjectGroup, label: TypeLabel?) -> Bool {
      guard let label else { return true }
      return finds(label) && group.all.growth > 0
    }
  }
}

/// The analysis of a capture before symbolication. The frames of many captures can be symbolicated in one go:
/// a symbolizer takes as long to start as to name some hundred frames.
package struct UnnamedAnalysis: Sendable {
  package let capture: Capture
  private let options: Analysis.Options
  /// By index into `Capture.types`; `nil` for objects named after the function that allocated them.
  private let labels: [TypeLabel?]
  private let scope: AnalysisScope
  private let groups: [ObjectGroup]
  private let explained: HeapFindings?
  /// Of the held objects of `explained`, then of the unexplained objects of `groups`.
  private let sizes: RetainedSizes?
  private let traces: NumberedTraces
  /// The stack traces that types show, by index into `Capture.types`.
  private let stackTracesOfTypes: [Int: Set<UInt32>]
  /// The frames of all stack traces that the analysis shows, or that name objects.
  private let tracedFrames: Set<Frame>

  package init(of capture: Capture, options: Analysis.Options = Analysis.Options()) {
    self.capture = capture
    self.options = options
    let labels = capture.types.map { TypeLabel($0, of: capture) }
    let scope = AnalysisScope(in: capture, options)
    var heap = ReachabilityAnalysis(of: scope)
    groups = ObjectGroup.all(of: scope, heap)
    let isFound = labels.map { $0.map(options.finds) ?? true }
    let explained = heap.map { HeapFindings($0, of: capture, labels: labels, isFound: isFound) }
    let held = explained?.held ?? []
    // What is no finding of its own may be counted with another one.
    let grown = groups.map { isFound[$0.key.type] ? $0.unexplainedObjects : [] }
    sizes = heap?.sizes(of: held.map(\.objects) + grown, held.map(\.owner) + groups.map(\.key.owner))
    self.explained = explained
    traces = NumberedTraces(capture.stackTraces)
    let traced = groups.filter { options.needsTrace($0, label: labels[$0.key.type]) }.map(\.key.stackTrace)
    stackTracesOfTypes = options.findsCallSitesOfTypes ? TypeCallSites.stackTraces(of: groups) : [:]
    let shown = Set(traced).union(stackTracesOfTypes.values.joined())
    tracedFrames = traces.frames(of: shown.union(explained?.stackTraces ?? []))
    (self.labels, self.scope) = (labels, scope)
  }

  /// All frames that need names.
  package var frames: Set<Frame> { tracedFrames.union(explained?.pathFrames ?? []) }

  /// Adds the names.
  ///
  /// - Parameters:
  ///   - symbolicator: called at most once for the stack traces, and at most once for the functions and
  ///     variables on paths.
  ///   - subjects: objects that a test tracks or calls its system under test; their types name the cycles
  ///     that contain them.
  ///   - frames: those of other captures.
  package func named(
    by symbolicator: some Symbolicator, after subjects: Set<ObjectAddress> = [],
    sharing frames: NamedFrames = NamedFrames()
  ) -> Analysis {
    let traces = NamedTraces(
      traces, frames: tracedFrames, of: capture, symbolicator: symbolicator, sharing: frames)
    var packages = Packages(traces, of: capture.process.executable)
    let subjects = HeapFindings.Subjects(types: types(of: subjects), packages: packages)
    let findings =
      (explained.flatMap { explained in
        sizes.map { explained.findings(traces, symbolicator: symbolicator, options, subjects, $0) }
      } ?? [])
      + growth(traces)
      + scope.recorded.findings
    packages.add(modulesIn: findings) { symbolicator.sources(ofModules: $0, in: capture) }
    return Analysis(
      types: types(traces, packages), findings: packages.attributed(findings).sorted(by: Finding.precedes),
      released: scope.recorded.released)
  }
}

extension UnnamedAnalysis {
  private func types(of objects: Set<ObjectAddress>) -> Set<Int> {
    guard !objects.isEmpty else { return [] }
    return Set(capture.objects.lazy.filter { objects.contains($0.address) }.map(\.type))
  }

  private func types(_ traces: NamedTraces, _ packages: Packages) -> [TypeGrowth] {
    var types: [TypeLabel: TypeGrowth] = [:]
    var callSites: [TypeLabel: CallSites] = [:]
    for group in groups {
      let label = label(of: group, traces)
      types[label, default: TypeGrowth(label, Tally())].merge(TypeGrowth(label, group.all))
      guard stackTracesOfTypes[group.key.type]?.contains(group.key.stackTrace) == true else { continue }
      callSites[label, default: CallSites()].add(group.grown, at: traces.fromCallSite(group.key.stackTrace))
    }
    for (label, sites) in callSites {
      types[label]?.allocatedAt = sites.listed(with: traces, atMost: TypeCallSites.maximumListed).sites
    }
    return packages.attributed(types.values).sorted(by: TypeGrowth.mostGrown)
  }

  /// One finding for each type, allocating function and test; of a sample, for each type and test.
  private func growth(_ traces: NamedTraces) -> [Finding] {
    var merger = FindingMerger()
    for (index, group) in groups.enumerated()
    where group.unexplained.growth > 0 && !traces.isAllocatedByTestRunner(group.key.stackTrace) {
      let (label, tally) = (label(of: group, traces), group.unexplained)
      guard options.finds(label) else { continue }
      var finding = Finding(
        fingerprint: "", verdict: .growth, type: label.text, kind: label.kind, instances: tally.growth,
        objects: tally.growth, bytes: tally.growthBytes, unexplainedRetains: tally.unexplainedRetains)
      if let size = sizes?[(explained?.held.count ?? 0) + index] {
        (finding.bytes, finding.ownBytes) = (size.bytes, size.ownBytes)
      }
      // A word leads to it that holds it, or is old: else it would be over-retained.
      if tally.unexplainedRetains > 0 { finding.certainty = Finding.Certainty([.oldWord]) }
      let stackTraces = CollectionOfOne(group.key.stackTrace)
      guard let owner = scope.owner(group.key.owner, allocatedAt: stackTraces, in: traces) else { continue }
      finding.attribute(to: scope.reportedOwner(for: owner), of: scope.attribution)
      if scope.namesMembers { finding.members = capture.members(group.unexplainedObjects) }
      let allocated = AllocatedObjects(
        stackTrace: group.key.stackTrace, estimate: tally.estimatedGrowth)
      merger.add(finding, [allocated], [], in: traces)
    }
    return merger.findings(with: traces).map(\.remarkingOnRetains)
  }

  private func label(of group: ObjectGroup, _ traces: NamedTraces) -> TypeLabel {
    let key = group.key
    return labels[key.type] ?? TypeLabel(capture.types[key.type], of: capture, key.stackTrace, traces)
  }
}
