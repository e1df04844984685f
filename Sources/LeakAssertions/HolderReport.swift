internal import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture
internal import LiveObjectsReport

/// One look at the heap, and what it says about single objects that are still alive.
///
/// Call all here inside `Recorder.ignoring`.
package struct HolderReport {
  private let capture: Result<Capture, LiveObjects.TrackingError>

  package init() {
    do throws(LiveObjects.TrackingError) {
      guard Recorder.isTracking else { throw .notTracking }
      capture = .success(try Recorder.settledGraph(since: 0))
    } catch {
      capture = .failure(error)
    }
  }

  /// Properties of the holder, or what hangs off them, hold all of the objects. Names nothing, and so costs
  /// little.
  package func areHeld(_ objects: [WatchedObject], by holder: AnyObject) -> Bool {
    guard case .success(let capture) = capture else { return false }
    let indices = objects.compactMap { index(of: $0, in: capture) }
    let held = findings(on: indices.sorted(), in: capture, namedBy: ImageNames())
    let type = TypeName(String(reflecting: type(of: holder))).text
    return held.allSatisfy { $0.verdict == .heldBy && $0.path.first?.type == type }
      && held.reduce(0) { $0 + $1.objects } == objects.count
  }

  /// How many leaks there are among what was made in a scope and in those inside it; `nil` if nobody knows.
  package func leaks(in scope: UInt32) -> Int? {
    guard case .success(let capture) = capture, capture.blindness == nil else { return nil }
    let objects = capture.objects.indices.filter { capture.made(capture.objects[$0], in: scope) }
    return findings(on: Array(objects), in: capture, namedBy: ImageNames())
      .count(where: FailOn.leaks.includes)
  }

  /// What keeps objects alive: those that one finding is about, together. What is gone by now is left out.
  package func explain(_ objects: [WatchedObject]) -> [ExplainedObjects] {
    switch capture {
    case .success(let capture):
      ProcessNames.use { names in
        reasons(of: objects, in: capture, namedBy: names)
          .compactMap { explained($0, in: capture, namedBy: names) }
      }
    case .failure(let error):
      objects.compactMap(\.type).map { ExplainedObjects(types: [$0], blindness: "\(error)") }
    }
  }

  /// Objects that are alive for one reason, and where they stand in the capture.
  private struct Reason {
    var finding: Finding?
    var objects: [WatchedObject]
    var indices: [Int]
  }

  private func reasons(
    of objects: [WatchedObject], in capture: Capture, namedBy symbolicator: BinarySymbolicator
  ) -> [Reason] {
    var reasons: [Reason] = []
    for object in objects {
      let index = index(of: object, in: capture).map { [$0] } ?? []
      let finding = findings(on: index, in: capture, namedBy: symbolicator).first
      let known = reasons.firstIndex { finding != nil && $0.finding?.fingerprint == finding?.fingerprint }
      if let known {
        reasons[known].objects.append(object)
        reasons[known].indices += index
      } else {
        reasons.append(Reason(finding: finding, objects: [object], indices: index))
      }
    }
    return reasons
  }

  private func explained(
    _ reason: Reason, in capture: Capture, namedBy symbolicator: BinarySymbolicator
  ) -> ExplainedObjects? {
    let types = reason.objects.compactMap(\.type)
    if types.isEmpty { return nil }
    let indices = reason.indices.sorted()
    if indices.isEmpty {
      return ExplainedObjects(types: types, blindness: "it was allocated before tracking started")
    }
    let finding =
      indices.count == 1 ? reason.finding : findings(on: indices, in: capture, namedBy: symbolicator).first
    return ExplainedObjects(types: types, finding: finding, blindness: capture.blindness)
  }

  private func index(of object: WatchedObject, in capture: Capture) -> Int? {
    capture.objects.firstIndex { $0.address == object.address }
  }

  private func findings(
    on objects: [Int], in capture: Capture, namedBy symbolicator: some Symbolicator
  ) -> [Finding] {
    if objects.isEmpty { return [] }
    let options = Analysis.Options(objects: objects, findsSystemTypes: true)
    return Analysis(of: capture, symbolicator: symbolicator, options: options).findings
  }
}

extension Capture {
  /// In the scope itself, or in one opened inside it.
  fileprivate func made(_ object: LiveObject, in scope: UInt32) -> Bool {
    var current = object.scope
    // Every parent is smaller than its scope.
    while current > scope { current = scopeParents[current] ?? 0 }
    return current == scope
  }
}
