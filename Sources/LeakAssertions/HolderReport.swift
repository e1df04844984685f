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

  /// A property of the holder, or what hangs off one, holds the object. Names nothing, and so costs little.
  package func isHeld(_ object: WatchedObject, by holder: AnyObject) -> Bool {
    guard case .success(let capture) = capture, let index = index(of: object, in: capture) else {
      return false
    }
    let finding = finding(on: index, in: capture, namedBy: ImageNames())
    let type = TypeName(String(reflecting: type(of: holder))).text
    return finding?.verdict == .heldBy && finding?.path.first?.type == type
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
      return ExplainedObject(type: type, finding: finding(on: index, in: capture, namedBy: symbolicator))
    case .failure(let error):
      return ExplainedObject(type: type, blindness: "\(error)")
    }
  }

  private func index(of object: WatchedObject, in capture: Capture) -> Int? {
    capture.objects.firstIndex { $0.address == object.address }
  }

  private func finding(
    on object: Int, in capture: Capture, namedBy symbolicator: some Symbolicator
  ) -> Finding? {
    let options = Analysis.Options(objects: [object], findsSystemTypes: true)
    return Analysis(of: capture, symbolicator: symbolicator, options: options).findings.first
  }
}
