import LiveObjectsCapture

/// The live instances of a type, and those of them that were allocated since the baseline.
public struct TypeGrowth: Sendable, Hashable {
  /// Demangled, module-qualified.
  public var type: String
  public var kind: ObjectKind
  /// Whether the type belongs to the program, not to the Swift toolchain or the system.
  public var isUserDefined: Bool
  /// The dependency that the type belongs to; `nil` for other types.
  public var dependency: String?
  /// Live instances in the capture.
  public var live: Int
  /// Live instances that were allocated since the baseline.
  public var growth: Int
  /// Bytes asked for by the live instances.
  public var bytes: UInt64
  /// Bytes asked for by the instances allocated since the baseline.
  public var growthBytes: UInt64
  /// The calls that allocated most of the growth, most instances first; empty but for the types that grew most, where
  /// that was requested.
  public var allocatedAt: [Finding.CallSite] = []
  /// Instances whose deinit has run and whose memory unowned references keep; not counted as live.
  public var pinned: Int

  public init(
    type: String, kind: ObjectKind, isUserDefined: Bool, live: Int, growth: Int, bytes: UInt64,
    growthBytes: UInt64 = 0, pinned: Int = 0
  ) {
    self.type = type
    self.kind = kind
    self.isUserDefined = isUserDefined
    self.live = live
    self.growth = growth
    self.bytes = bytes
    self.growthBytes = growthBytes
    self.pinned = pinned
  }
}

extension TypeGrowth {
  init(_ label: TypeLabel, _ tally: Tally) {
    self.init(
      type: label.text, kind: label.kind, isUserDefined: label.isUserDefined, live: tally.live,
      growth: tally.growth, bytes: tally.bytes, growthBytes: tally.growthBytes, pinned: tally.pinned)
  }

  /// Adds objects of the same type.
  package mutating func merge(_ other: TypeGrowth) {
    isUserDefined = isUserDefined || other.isUserDefined
    if dependency != other.dependency { dependency = nil }
    live += other.live
    growth += other.growth
    bytes.add(saturating: other.bytes)
    growthBytes.add(saturating: other.growthBytes)
    pinned += other.pinned
  }

  /// The order of a report: by bytes, then by instances, then by live instances. Equals are in
  /// alphabetical order, so that reports of the same run are the same.
  package static func mostGrown(_ a: TypeGrowth, _ b: TypeGrowth) -> Bool {
    (b.growthBytes, b.growth, b.bytes, a.type, a.kind.rawValue)
      < (a.growthBytes, a.growth, a.bytes, b.type, b.kind.rawValue)
  }
}

/// The objects of one type, stack trace and owner.
struct ObjectGroup {
  struct Key: Hashable {
    /// Index into `Capture.types`.
    var type: Int
    var stackTrace: UInt32
    var owner: ObjectOwner
  }

  let key: Key
  private(set) var all = Tally()
  /// The evaluated objects that are neither leaked nor held by a known holder.
  private(set) var unexplained = Tally()
  private(set) var unexplainedObjects: [UInt32] = []

  /// The objects that were allocated since the baseline.
  var grown: AllocatedObjects {
    AllocatedObjects(stackTrace: key.stackTrace, estimate: all.estimatedGrowth)
  }

  /// - Parameter heap: `nil` where no references were read.
  static func all(of scope: AnalysisScope, _ heap: ReachabilityAnalysis?) -> [ObjectGroup] {
    guard let considered = scope.considered else { return all(scope.capture.objects.indices, scope, heap) }
    return all(considered, scope, heap)
  }

  private static func all(
    _ objects: some Sequence<Int>, _ scope: AnalysisScope, _ heap: ReachabilityAnalysis?
  ) -> [ObjectGroup] {
    let counted = heap?.counted ?? scope.counted
    var numbers = Numbering<Key>()
    var groups: [ObjectGroup] = []
    for index in objects {
      let object = scope.capture.objects[index]
      let key = Key(type: object.type, stackTrace: object.stackTrace, owner: scope.owner(of: index))
      let group = numbers.number(of: key)
      if group == groups.count { groups.append(ObjectGroup(key: key)) }
      let weight = scope.capture.tracking.weight(of: object)
      groups[group].all.add(object, baseline: scope.baseline, weight: weight)
      guard counted[index], !object.isPinned, !(heap?.isExplainedByLeak(index) ?? false),
        heap?.signature(of: index) == nil
      else { continue }
      groups[group].unexplained.add(
        object, baseline: scope.baseline, weight: weight,
        unexplainedRetains: max(0, heap?.graph.unexplained(index) ?? 0))
      guard object.sequence >= scope.baseline else { continue }
      groups[group].unexplainedObjects.append(UInt32(index))
    }
    return groups
  }
}

/// Numbers keys in the order of their first appearance. The last key is compared first: neighbours in a heap
/// mostly have equal ones, and to hash a key for each of tens of millions of objects takes long.
package struct Numbering<Key: Hashable & Sendable>: Sendable {
  package private(set) var keys: [Key] = []
  private var numbers: [Key: Int] = [:]
  private var last = 0

  package init() {}

  /// - Returns: the number of keys before, for a new one.
  package mutating func number(of key: Key) -> Int {
    if last < keys.count, keys[last] == key { return last }
    last = numbers[key] ?? keys.count
    if last == keys.count {
      numbers[key] = last
      keys.append(key)
    }
    return last
  }
}

/// The number and size of objects by the stack trace that allocated them.
struct StackTraceCounts {
  private var traces = Numbering<UInt32>()
  private(set) var all: [AllocatedObjects] = []

  var stackTraces: [UInt32] { traces.keys }

  mutating func add(_ object: LiveObject, weight: Double) {
    let number = traces.number(of: object.stackTrace)
    if number == all.count { all.append(AllocatedObjects(stackTrace: object.stackTrace)) }
    all[number].add(object, weight: weight)
  }
}

/// Counts and sizes of objects.
struct Tally {
  var live = 0
  var growth = 0
  var pinned = 0
  var bytes: UInt64 = 0
  var growthBytes: UInt64 = 0
  /// The growth that the objects with a stack trace stand for.
  var estimatedGrowth = Estimate()
  /// Strong retains without a matching reference; 0 where references were not read.
  var unexplainedRetains = 0

  mutating func add(
    _ object: LiveObject, baseline: UInt64, weight: Double, unexplainedRetains retains: Int = 0
  ) {
    guard !object.isPinned else {
      pinned += 1
      return
    }
    unexplainedRetains += retains
    live += 1
    bytes.add(saturating: object.bytes)
    guard object.sequence >= baseline else { return }
    growth += 1
    growthBytes.add(saturating: object.bytes)
    estimatedGrowth.add(object, weight: weight)
  }
}

extension UInt64 {
  /// Adds, and stays at the greatest value where the sum does not fit: sizes in a damaged capture add
  /// up to anything.
  package mutating func add(saturating other: UInt64) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? .max : sum
  }
}

extension Finding {
  /// The finding with a remark about retains that no reference accounts for, if there are any.
  var remarkingOnRetains: Finding {
    guard unexplainedRetains > 0 else { return self }
    let retains = unexplainedRetains == 1 ? "1 retain" : "\(unexplainedRetains) retains"
    var finding = self
    finding.remarks = [
      "No reference accounts for \(retains): a thread, C memory or a missing release may keep the objects alive."
    ]
    return finding
  }
}

extension Capture {
  /// Objects as members of a finding, each an instance of its own.
  func members(_ indices: [UInt32]) -> [TestFinding.Object] {
    indices.enumerated().map { TestFinding.Object(objects[Int($1)], instance: $0, isCore: true) }
  }
}
