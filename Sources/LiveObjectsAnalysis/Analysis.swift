import LiveObjectsCapture

/// What a capture says about growth: per type, and as findings.
public struct Analysis: Sendable {
  /// All types with objects in the capture, those that grew most first.
  public var types: [TypeGrowth]
  /// What was left behind of the program's own types, or of all types if asked for, most instances first.
  public var findings: [Finding]

  /// - Parameters:
  ///   - capture: the capture to judge.
  ///   - symbolicator: names the frames that findings show. It is asked for the stack traces at most once, and
  ///     at most once for the functions and variables on paths.
  ///   - options: which objects count.
  public init(
    of capture: Capture, symbolicator: some Symbolicator, options: Options = Options()
  ) {
    let labels = capture.types.map { TypeLabel($0, of: capture) }
    let judged = JudgedObjects(in: capture, options)
    let groups = ObjectGroup.groups(of: judged)
    let explained = groups.filter { options.needsTrace($0, label: labels[$0.type]) }
    let heap = HeapJudgement(of: judged)
    let told = heap.map { HeapFindings($0, of: capture, labels: labels, options) }
    let traces = NamedTraces(
      Set(explained.map(\.stackTrace)).union(told?.stackTraces ?? []), of: capture, symbolicator: symbolicator
    )

    types = Self.types(groups, labels, of: capture, traces, options)
    let unexplained =
      heap.map(ObjectGroup.unexplained) ?? groups.filter { judged.tells(of: $0.test) }
    findings =
      (told?.findings(traces, symbolicator: symbolicator, options) ?? [])
      + Self.growth(unexplained, labels, of: judged, traces, options)
    findings.sort(by: Finding.precedes)
  }

  private static func types(
    _ groups: [ObjectGroup], _ labels: [TypeLabel?], of capture: Capture, _ traces: NamedTraces,
    _ options: Options
  ) -> [TypeGrowth] {
    var tallies: [TypeLabel: Tally] = [:]
    for group in groups {
      let label =
        labels[group.type] ?? TypeLabel(capture.types[group.type], of: capture, group.stackTrace, traces)
      guard options.includes(label.text) else { continue }
      tallies[label, default: Tally()].add(group.tally)
    }
    return tallies.map { TypeGrowth($0, $1) }.sorted(by: TypeGrowth.mostGrown)
  }

  /// What is only known to have grown.
  private static func growth(
    _ groups: [ObjectGroup], _ labels: [TypeLabel?], of judged: JudgedObjects, _ traces: NamedTraces,
    _ options: Options
  ) -> [Finding] {
    let capture = judged.capture
    var collector = FindingCollector(for: judged.attribution)
    for group in groups where group.tally.growth > 0 && !traces.isTestRunnersOwn(group.stackTrace) {
      let label =
        labels[group.type] ?? TypeLabel(capture.types[group.type], of: capture, group.stackTrace, traces)
      guard options.includes(label.text), options.finds(label) else { continue }
      collector.add(group, of: label, in: traces)
    }
    return collector.findings(with: traces)
  }
}

extension Analysis {
  /// Which objects count.
  public struct Options: Sendable, Hashable {
    /// Objects with a smaller sequence number are live, but not growth.
    public var baseline: UInt64
    /// Indices of the objects that count, ascending; `nil` for all. The others are there as holders only.
    public var objects: [Int]?
    /// Index of the only test whose objects count, into `Capture.tests`; `nil` for all. What was there before it
    /// began are older objects then, whatever the baseline.
    public var test: Int?
    /// Only types whose full name contains one of these count; empty for all.
    public var typeFilters: [String]
    /// Findings for the toolchain's types and for raw buffers too, not for the program's own types only.
    public var findsSystemTypes: Bool

    public init(
      baseline: UInt64 = 0, objects: [Int]? = nil, test: Int? = nil, typeFilters: [String] = [],
      findsSystemTypes: Bool = false
    ) {
      self.baseline = baseline
      self.objects = objects
      self.test = test
      self.typeFilters = typeFilters
      self.findsSystemTypes = findsSystemTypes
    }

    func includes(_ type: String) -> Bool {
      typeFilters.isEmpty || typeFilters.contains(where: type.contains)
    }

    func finds(_ label: TypeLabel) -> Bool {
      label.isUsers || findsSystemTypes
    }

    /// Only what a report shows is symbolicated: what is found, and objects whose trace must name them.
    func needsTrace(_ group: ObjectGroup, label: TypeLabel?) -> Bool {
      guard let label else { return true }
      return finds(label) && group.tally.growth > 0
    }
  }
}

extension TypeGrowth {
  init(_ label: TypeLabel, _ tally: Tally) {
    self.init(
      type: label.text, kind: label.kind, isUsers: label.isUsers, live: tally.live,
      growth: tally.growth, bytes: tally.bytes, growthBytes: tally.growthBytes, pinned: tally.pinned)
  }
}
