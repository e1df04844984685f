internal import LiveObjectsCapture

/// The objects of a capture that a diff counts.
struct Survivors {
  /// The capture without all other objects.
  var capture: Capture
  /// Live instances of which nobody knows whether they belong to the diff.
  var unattributed: Int
  /// Live instances that would count, were it not for the filter on types.
  var filteredOut: Int

  /// - Parameters:
  ///   - capture: holds the objects since the first pass.
  ///   - marks: the baseline of every pass, ascending.
  ///   - types: what a type's name must contain one of; empty for all.
  init(in capture: Capture, passes marks: [UInt64], attribution: Attribution, types: [String]) {
    var testLibraries = TestLibraries(in: capture)
    let candidates = capture.objects.filter { !testLibraries.made($0) }
    let grown = Self.grownInEveryPass(candidates.filter(attribution.owns), marks)
    let matches = { (object: LiveObject) in capture.types[object.type].matches(types) }
    self.capture = capture
    self.capture.objects = grown.filter(matches)
    filteredOut = grown.count { !matches($0) && capture.isLiveInstance($0) }
    unattributed = candidates.count {
      matches($0) && attribution.leavesOpen($0) && capture.isLiveInstance($0)
    }
  }

  /// In the order of the capture, which objects keep as long as they live.
  var identities: [ObjectIdentity] {
    capture.objects.lazy.filter { !$0.isPinned }.map(ObjectIdentity.init)
  }

  /// Leaves out the types of which some pass left no instance behind.
  private static func grownInEveryPass(_ objects: [LiveObject], _ marks: [UInt64]) -> [LiveObject] {
    guard marks.count > 1 else { return objects }
    var passes: [Int: Set<Int>] = [:]
    for object in objects where !object.isPinned {
      passes[object.type, default: []].insert(marks.lastIndex { $0 <= object.sequence } ?? 0)
    }
    return objects.filter { passes[$0.type]?.count == marks.count }
  }
}

/// One object among all that ever had its address.
struct ObjectIdentity: Equatable {
  private let address: UInt64
  private let sequence: UInt64

  init(_ object: LiveObject) {
    address = object.address
    sequence = object.sequence
  }
}

extension TypeDescription {
  fileprivate func matches(_ filters: [String]) -> Bool {
    filters.isEmpty || filters.contains { name.contains($0) }
  }
}

extension Capture {
  /// Neither a raw buffer nor an object whose deinit has run.
  func isLiveInstance(_ object: LiveObject) -> Bool {
    !object.isPinned && types[object.type].kind != .rawBuffer
  }
}
