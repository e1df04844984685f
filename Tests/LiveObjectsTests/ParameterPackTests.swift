import LiveObjects
import XCTest

private final class Packed<First, each Rest> {
  var first: First
  var rest: (repeat each Rest)
  var next: Packed<First, repeat each Rest>?
  let back: Packed<First, repeat each Rest>?

  init(_ first: First, _ rest: repeat each Rest, back: Packed<First, repeat each Rest>? = nil) {
    self.first = first
    self.rest = (repeat each rest)
    self.back = back
  }
}

/// The runtime cannot be asked for a type that mentions a parameter pack.
final class ParameterPackTests: XCTestCase {
  func testPropertyOfTheClassItselfIsAReference() throws {
    let diff = try LiveObjects.diff {
      let object = Packed(1, "a", 2.0)
      object.next = object
    }
    XCTAssertEqual(diff.findings.map(\.verdict), [.retainCycle])
    XCTAssertEqual(diff.findings.first?.certainty, .definite)
    XCTAssertEqual(diff.findings.first?.path.first?.reference, "next")
  }

  func testCycleOfTwo() throws {
    let diff = try LiveObjects.diff {
      let object = Packed(1, "a", 2.0)
      object.next = Packed(2, "b", 3.0, back: object)
    }
    XCTAssertEqual(diff.findings.map(\.verdict), [.retainCycle])
    XCTAssertEqual(diff.findings.first?.certainty, .definite)
    XCTAssertEqual(Set(diff.findings[0].path.map(\.reference)).subtracting([""]), ["next", "back"])
  }

  func testReleasedObjectsAreNotReported() throws {
    let diff = try LiveObjects.diff {
      let object = Packed(1, "a", 2.0)
      object.next = Packed(2, "b", 3.0)
    }
    XCTAssertEqual(diff.findings.count, 0)
  }
}
