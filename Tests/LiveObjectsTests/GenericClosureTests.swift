import LiveObjectsCapture
import XCTest

@testable import LiveObjects

private final class Cell<Value> {
  var value: Value?
}

/// Held by a value of a generic struct, so that its type has to be known to find it.
private struct Token<Value> {
  var weight = 0
  var cell = Cell<Value>()
}

private class Future<Value> {
  var value: Value?
  var callback: (() -> Bool)?

  /// Both types are known from the captured futures alone.
  @inline(never) @_optimize(none)
  final func and<Other>(_ other: Future<Other>, _ token: Token<(Value, Other)>) {
    callback = { self.value == nil && other.value == nil && token.cell.value == nil }
  }
}
private final class ChildFuture: Future<[String]> {}

/// Closures whose type parameters are determined by their captures.
final class GenericClosureTests: XCTestCase {
  func testCapturedObjectsDetermineTheParametersOfAClosure() throws {
    try LiveObjects.start()
    let future = onHeap { Future<Int>() }
    future.and(Future<String>(), Token())
    try assertClosureOfFutureHolds(
      ["Future<Swift.Int>", "Future<Swift.String>", "Token<(Swift.Int, Swift.String)>\tcell"])
    withExtendedLifetime(future) { $0.callback = nil }
  }

  func testCapturedObjectOfASubclassDeterminesTheParameters() throws {
    try LiveObjects.start()
    let future = onHeap { Future<Int>() }
    future.and(ChildFuture(), Token())
    let array = "Swift.Array<Swift.String>"
    try assertClosureOfFutureHolds(
      ["Future<Swift.Int>", "Future<\(array)>", "Token<(Swift.Int, \(array))>\tcell"])
    withExtendedLifetime(future) { $0.callback = nil }
  }

  private func assertClosureOfFutureHolds(
    _ expected: [String], file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let capture = try Recorder.capture(since: 0, references: true).decoded()
    let graph = try XCTUnwrap(capture.graph)
    let callback = try XCTUnwrap(
      graph.references.first { reference in
        let holder = capture.types[capture.objects[Int(reference.source)].type].name
        return graph.labels[Int(reference.label)].text == "callback" && holder.hasSuffix(".Future<Swift.Int>")
      }, file: file, line: line)
    let labels = graph.references.filter { $0.source == callback.target }
      .map { graph.labels[Int($0.label)] }
    // The optimiser hands the cell to the closure without the token around it.
    #if DEBUG
      let named = expected.count
    #else
      let named = expected.count - 1
    #endif
    XCTAssertEqual(
      labels.prefix(named).map(\.ownership), (0..<named).map { _ in .strong }, file: file, line: line)
    XCTAssertEqual(
      labels.prefix(named).map { Self.local($0.text) }, Array(expected.prefix(named)), file: file, line: line)
  }

  /// Without module and the context of private types.
  private static func local(_ type: String) -> String {
    type.replacing(/LiveObjectsTests\.(\(unknown context at \$[0-9a-f]+\)\.)?/, with: "")
  }
}
