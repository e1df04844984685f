package import LiveObjectsCapture

/// Tells the objects that a test library makes for itself.
///
/// XCTest waits for an asynchronous test on the main thread while the test runs on another one, and every
/// assertion keeps records: both would pass for growth of the code under test. The innermost frame that lies
/// in neither the standard library nor the system says whose code asked for an object.
package struct TestLibraries {
  private static let names = ["libXCTest.so", "libTesting.so"]

  private enum Side { case library, program }

  private let stackTraces: StackTraceTable
  private let sides: [Side?]
  private var known: [UInt32: Bool] = [:]

  package init(in capture: Capture) {
    stackTraces = capture.stackTraces
    sides = capture.images.map { image in
      if Self.names.contains(where: { image.path.hasSuffix("/" + $0) }) { return .library }
      return image.isSystem ? nil : .program
    }
  }

  /// Objects without a backtrace are nobody's.
  package mutating func made(_ object: LiveObject) -> Bool {
    if let answer = known[object.stackTrace] { return answer }
    let answer = innermostSide(of: stackTraces[object.stackTrace]) == .library
    known[object.stackTrace] = answer
    return answer
  }

  private func innermostSide(of frames: [Frame]) -> Side? {
    for frame in frames {
      if let image = frame.image, let side = sides[image] { return side }
    }
    return nil
  }
}
