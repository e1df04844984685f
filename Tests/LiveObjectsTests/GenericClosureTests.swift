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

/// Has its isolation before its type parameters. Neither can be found without the other.
@inline(never) @_optimize(none)
private func makeIsolated<Value: Sendable>(_ token: Value, _ future: Future<Value>) -> Isolated<Value> {
  nonisolated(unsafe) let future = future
  return Isolated { future.value == nil ? token : token }
}

private actor Owner {
  var calls = 0

  @_optimize(none)
  func makeIsolated<Value: Sendable>(_ token: Value, _ future: Future<Value>) -> Isolated<Value> {
    nonisolated(unsafe) let future = future
    return Isolated {
      self.calls += 1
      return future.value == nil ? token : token
    }
  }
}

private final class Isolated<Value>: Sendable {
  let operation: @isolated(any) @Sendable () async -> Value

  init(@_inheritActorContext _ operation: @escaping @isolated(any) @Sendable () async -> Value) {
    self.operation = operation
  }
}

private final class First {
  var action: (() -> Void)?
}
private final class Second {}
private final class Third {}

/// Has the pack's types, and their number, before its captures.
@inline(never) @_optimize(none)
private func bind<each Value>(
  _ first: First, _ second: Second, _ third: Third, _ types: repeat (each Value).Type
) {
  first.action = {
    withExtendedLifetime((first, second, third)) {}
    _ = (repeat (each Value).self)
  }
}

private struct Update<Sender: AnyObject> {
  unowned let sender: Sender
  let source: Cell<Sender>
}

/// The second capture is at another place for each type of the first one, inside of which an object of the same
/// generic class may be.
@inline(never) @_optimize(none)
private func observe<Value>(_ value: Value, _ cell: Cell<Value>, _ first: First) {
  first.action = { withExtendedLifetime((value, cell)) {} }
}

private class Binder<Model> {}
private struct Parent<Object: AnyObject> { unowned let object: Object }
private final class ParentBinder<Object: AnyObject>: Binder<Parent<Object>> {}

/// The argument of the captured type is not that of its declared superclass.
@inline(never) @_optimize(none)
private func bind<Model>(_ binder: Binder<Model>.Type, _ model: Model, _ first: First) {
  first.action = { withExtendedLifetime((binder, model)) {} }
}

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

  func testIsolationIsBeforeTheParameters() async throws {
    try LiveObjects.start()
    let isolated = makeIsolated(1, Future())
    try assertClosure("operation", of: ".Isolated<Swift.Int>", holds: ["Future<Swift.Int>"])
    withExtendedLifetime(isolated) {}
  }

  func testIsolationToAnActorHoldsIt() async throws {
    try LiveObjects.start()
    let isolated = await Owner().makeIsolated("a", Future())
    try assertClosure("operation", of: ".Isolated<Swift.String>", holds: ["Owner", "Future<Swift.String>"])
    withExtendedLifetime(isolated) {}
  }

  func testTypesOfAPackAreNoIsolation() throws {
    try LiveObjects.start()
    let first = onHeap { First() }
    bind(first, Second(), Third(), Int.self, String.self)
    try assertClosure("action", of: ".First", holds: ["First", "Second", "Third"])
    withExtendedLifetime(first) { $0.action = nil }
  }

  func testAnObjectInsideAnEarlierCaptureDeterminesNothing() throws {
    try LiveObjects.start()
    let first = onHeap { First() }
    let second = onHeap { Second() }
    observe(Update(sender: second, source: Cell<Second>()), Cell(), first)
    try assertClosure("action", of: ".First", holds: ["Cell<Second>", "Cell<Update<Second>>"])
    withExtendedLifetime((first, second)) { first.action = nil }
  }

  func testACapturedMetatypeIsThatOfItsDeclaredClass() throws {
    try LiveObjects.start()
    let first = onHeap { First() }
    let second = onHeap { Second() }
    bind(ParentBinder<Second>.self, Parent(object: second), first)
    try assertClosure("action", of: ".First", holds: [])
    withExtendedLifetime((first, second)) { first.action = nil }
  }

  private func assertClosure(
    _ property: String, of type: String, holds expected: Set<String>, file: StaticString = #filePath,
    line: UInt = #line
  ) throws {
    let capture = try Recorder.capture(since: 0, references: true).decoded()
    let graph = try XCTUnwrap(capture.graph)
    XCTAssertEqual(graph.status.unreadObjects, 0, file: file, line: line)
    let name = { (object: UInt32) in Self.local(capture.types[capture.objects[Int(object)].type].name) }
    let closure = try XCTUnwrap(
      graph.references.first {
        graph.labels[Int($0.label)].text == property && ".\(name($0.source))".hasSuffix(type)
      }, file: file, line: line)
    let held = graph.references.filter {
      $0.source == closure.target && graph.labels[Int($0.label)].ownership == .strong
    }
    XCTAssertEqual(Set(held.map { name($0.target) }), expected, file: file, line: line)
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
