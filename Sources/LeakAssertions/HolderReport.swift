internal import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture
internal import LiveObjectsReport

/// One look at the heap, and what it says about single objects that are still alive.
///
/// Call all here inside `Recorder.ignoring`.
package struct HolderReport {
  private let capture: Result<Capture, LiveObjects.TrackingError>
  private let symbolicator = BinarySymbolicator()

  package init() {
    do throws(LiveObjects.TrackingError) {
      guard Recorder.isTracking else { throw .notTracking }
      capture = .success(try Recorder.capture(since: 0, references: true).decoded())
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

  /// What keeps an object alive; `nil` if it is gone by now.
  package func explain(_ object: WatchedObject) -> ExplainedObject? {
    guard let typeName = object.typeName else { return nil }
    let type = TypeName(typeName).text
    switch capture {
    case .success(let capture):
      guard let index = index(of: object, in: capture) else {
        return ExplainedObject(type: type, blindness: "it was made before tracking started")
      }
      let findings = findings(on: [index], in: capture, namedBy: symbolicator)
      return ExplainedObject(type: type, finding: findings.first)
    case .failure(let error):
      return ExplainedObject(type: type, blindness: "\(error)")
    }
  }

  private func index(of object: WatchedObject, in capture: Capture) -> Int? {
    capture.objects.firstIndex { $0.address == object.address }
  }

  private func findings(
    on objects: [Int], in capture: Capture, namedBy symbolicator: some Symbolicator
  ) -> [Finding] {
    let options = Analysis.Options(objects: objects, findsSystemTypes: true)
    return Analysis(of: capture, symbolicator: symbolicator, options: options).findings
  }
}
