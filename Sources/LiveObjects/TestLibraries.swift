package import LiveObjectsCapture

/// Identifies the objects that a test library allocates for itself.
///
/// XCTest waits for an asynchronous test on the main thread while the test runs on another one, and every
/// assertion keeps records: both would count as growth of the code under test. The innermost frame that lies
/// in neither the standard library nor the system decides which code allocated an object.
package struct TestLibraries {
  private static let names = ["libXCTest.so", "libTesting.so"]

  private enum Side { case library, program }

  private let stackTraces: StackTraceTable
  private let sides: [Side?]
  private var answers: [UInt32: Bool] = [:]

  package init(in capture: Capture) {
    stackTraces = capture.stackTraces
    sides = capture.images.map { image in
      if Self.names.contains(where: { image.path.hasSuffix("/" + $0) }) { return .library }
      return image.isSystem ? nil : .program
    }
  }

  /// Whether a test library allocated the object; `false` without a stack trace.
  package mutating func allocated(_ object: LiveObject) -> Bool {
    if let answer = answers[object.stackTrace] { return answer }
    let frames = stackTraces[object.stackTrace].lazy
    let answer = frames.compactMap { [sides] in $0.image.flatMap { sides[$0] } }.first == .library
    answers[object.stackTrace] = answer
    return answer
  }
}
