package import LiveObjectsCapture

/// The objects of a capture that a diff counts.
struct Survivors {
  /// Holds other objects too.
  var capture: Capture
  /// Indices into the capture's objects, ascending.
  var objects: [Int]
  /// Older objects were there before the diff began.
  var baseline: UInt64
  /// The baseline of every pass, ascending; empty for a single one.
  var passes: [UInt64]
  /// Live instances that cannot be attributed to the diff or to other code.
  var unattributed: Int
  /// Live instances that would count, were it not for the filter on types.
  var filteredOut: Int
  /// The filters that match no type of the process, whether it has instances or not.
  var unknownTypes: [String]

  /// - Parameters:
  ///   - capture: holds the objects since the first pass, at least.
  ///   - marks: the baseline of every pass, ascending.
  ///   - types: substrings of type names; empty for all types.
  init(in capture: Capture, passes marks: [UInt64], attribution: Attribution, types: [String]) {
    var testLibraries = TestLibraries(in: capture)
    let candidates = capture.objects.indices.filter {
      capture.objects[$0].sequence >= marks[0] && !testLibraries.allocated(capture.objects[$0])
    }
    let owned = candidates.filter { attribution.owns(capture.objects[$0]) }
    let grown = capture.grownInEveryPass(owned, marks)
    let matching = capture.types.map { $0.matches(types) }
    let matches = { matching[capture.objects[$0].type] }
    self.capture = capture
    // A diff is about its body, not about the tests of the process: objects are attributed here.
    self.capture.tests = []
    self.capture.listsTests = false
    baseline = marks[0]
    passes = marks.count > 1 ? marks : []
    objects = grown.filter(matches)
    unknownTypes = types.filter { !DeclaredTypes.mayContain($0) }
    filteredOut = grown.count { !matches($0) && capture.isLiveInstance($0) }
    unattributed = candidates.count {
      matches($0) && attribution.isUndecided(capture.objects[$0]) && capture.isLiveInstance($0)
    }
  }

  /// The objects whose deinit has not run, in the order of the capture, which they keep as long as they live.
  var alive: some Sequence<LiveObject> {
    objects.lazy.map { capture.objects[$0] }.filter { !$0.isPinned }
  }

  var identities: [ObjectIdentity] { alive.map(ObjectIdentity.init) }
}

/// The identity of an object, which no other object at its address has.
package struct ObjectIdentity: Hashable, Sendable {
  let address: ObjectAddress
  let sequence: UInt64

  package init(_ object: LiveObject) {
    address = object.address
    sequence = object.sequence
  }

  package init(_ object: TestFinding.Object) {
    self.init(at: object.address, sequence: object.sequence)
  }

  init(at address: ObjectAddress, sequence: UInt64) {
    self.address = address
    self.sequence = sequence
  }

  /// The identity of a live object: no other has its address meanwhile.
  package init(living address: ObjectAddress) {
    self.address = address
    sequence = 0
  }
}

extension TypeDescription {
  fileprivate func matches(_ filters: [String]) -> Bool {
    filters.isEmpty || filters.contains { name.contains($0) }
  }
}

extension Capture {
  /// Neither a raw buffer nor an object whose deinit has run.
  fileprivate func isLiveInstance(_ object: Int) -> Bool {
    !objects[object].isPinned && types[objects[object].type].kind != .rawBuffer
  }

  /// Leaves out the types of which some pass left no instance behind.
  fileprivate func grownInEveryPass(_ candidates: [Int], _ marks: [UInt64]) -> [Int] {
    guard marks.count > 1 else { return candidates }
    var passes: [Int: Set<Int>] = [:]
    for object in candidates.lazy.map({ objects[$0] }) where !object.isPinned {
      passes[object.type, default: []].insert(marks.lastIndex { $0 <= object.sequence } ?? 0)
    }
    return candidates.filter { passes[objects[$0].type]?.count == marks.count }
  }
}
