import LiveObjectsAnalysis
import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class Nest<Value> {
  final class Inner<Other> {}
}
extension LiveObjects {
  final class Extending<Value> {}
}
extension Array {
  final class ElementNest<Value> {}
}
struct Pair<One, Other> {}
struct Pack<each Value> {}
protocol Nesting<Value> { associatedtype Value }

private func tuple<Value>(_ type: Value.Type) -> Any.Type { (Value, Value).self }
private func function<Value>(_ type: Value.Type) -> Any.Type { ((Value) -> Value).self }
private func pair<Value>(_ type: Value.Type) -> Any.Type { Pair<Value, Value>.self }
// Optimised, the runtime of 6.3 crashes in the completion of such a type, without this library too.
@_optimize(none) private func pack<Value>(_ type: Value.Type) -> Any.Type { Pack<Value, Value>.self }
private func metatype<Value>(_ type: Value.Type) -> Any.Type { Pair<Value, Value>.Type.self }
private func existential<Value>(_ type: Value.Type) -> Any.Type { (any Nesting<Pair<Value, Value>>).self }
private func optional<Value>(_ type: Value.Type) -> Any.Type { Value?.self }

/// The runtime writes the name of a type in full, and types can nest so that it takes minutes.
final class LongTypeNameTests: XCTestCase {
  /// Each level doubles the length of the name.
  private static let doublings: [String: @Sendable (any Any.Type) -> Any.Type] = [
    "tuple": { _openExistential($0, do: tuple) },
    "function": { _openExistential($0, do: function) },
    "struct": { _openExistential($0, do: pair) },
    "pack": { _openExistential($0, do: pack) },
    "metatype": { _openExistential($0, do: metatype) },
    "protocol": { _openExistential($0, do: existential) },
  ]

  private static func nested(_ levels: Int, _ doubling: (any Any.Type) -> Any.Type) -> Any.Type {
    (0..<levels).reduce(Int.self) { type, _ in doubling(type) }
  }

  /// The recorded name of an object's type.
  private func name(of object: AnyObject) throws -> String {
    let capture = try Recorder.capture(since: 0, references: false).decoded()
    let metadata = UInt64(UInt(bitPattern: ObjectIdentifier(type(of: object))))
    return TypeName(try XCTUnwrap(capture.types.first { $0.metadata == metadata }?.name)).text
  }

  private func instance(nesting type: Any.Type) -> AnyObject {
    func make<Value>(_ type: Value.Type) -> AnyObject { onHeap { Nest<Value>() } }
    return _openExistential(type, do: make)
  }

  func testLongNamesAreThatOfTheOutermostType() throws {
    try LiveObjects.start()
    for (kind, doubling) in Self.doublings {
      let object = instance(nesting: Self.nested(12, doubling))
      XCTAssertEqual(try name(of: object), "LiveObjectsTests.Nest<…>", kind)
    }
  }

  func testShorterNamesAreWhole() throws {
    try LiveObjects.start()
    for (kind, doubling) in Self.doublings {
      let object = instance(nesting: Self.nested(3, doubling))
      XCTAssertEqual(try name(of: object), TypeName(String(reflecting: type(of: object))).text, kind)
    }
  }

  func testTheTypesInANameAreCounted() throws {
    try LiveObjects.start()
    let optionals: (any Any.Type) -> Any.Type = { _openExistential($0, do: optional) }
    let longest = instance(nesting: Self.nested(62, optionals))
    let longer = instance(nesting: Self.nested(63, optionals))
    XCTAssertEqual(try name(of: longest), String(reflecting: type(of: longest)))
    XCTAssertEqual(try name(of: longer), "LiveObjectsTests.Nest<…>")
  }

  func testNestedTypesHaveTheNameOfTheirContext() throws {
    func makeInner<Value>(_ type: Value.Type) -> AnyObject { onHeap { Nest<Value>.Inner<Int>() } }
    func makeExtending<Value>(_ type: Value.Type) -> AnyObject { onHeap { LiveObjects.Extending<Value>() } }
    func makeElement<Value>(_ type: Value.Type) -> AnyObject { onHeap { [Value].ElementNest<Int>() } }
    try LiveObjects.start()
    let type = Self.nested(12) { _openExistential($0, do: pair) }
    let inner = _openExistential(type, do: makeInner)
    let extending = _openExistential(type, do: makeExtending)
    let element = _openExistential(type, do: makeElement)
    XCTAssertEqual(try name(of: inner), "LiveObjectsTests.Nest.Inner<…>")
    XCTAssertEqual(
      try name(of: extending), "(extension in LiveObjectsTests):LiveObjects.LiveObjects.Extending<…>")
    XCTAssertEqual(try name(of: element), "LiveObjectsTests.ElementNest<…>")  // the array is not known
  }
}
