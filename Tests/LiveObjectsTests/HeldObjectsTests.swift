import LiveObjects
import XCTest

private final class Payload {}

/// Its cases are in the five highest bits of the references, which are spare on x86_64 (on arm64, four).
private enum Many {
  case c0(Payload)
  case c1(Payload)
  case c2(Payload)
  case c3(Payload)
  case c4(Payload)
  case c5(Payload)
  case c6(Payload)
  case c7(Payload)
  case c8(Payload)
  case c9(Payload)
  case c10(Payload)
  case c11(Payload)
  case c12(Payload)
  case c13(Payload)
  case c14(Payload)
  case c15(Payload)
  case c16(Payload)
}

private final class Window {
  var first: (() -> Void)?
  var second: (() -> Void)?
  var number = 0
}

nonisolated(unsafe) private var text = ""
nonisolated(unsafe) private var many: Many?
nonisolated(unsafe) private var window: Window?

@inline(never) @_optimize(none)
private func keepText() {
  text = String(repeating: "ä", count: 200)
  XCTAssertEqual(text.utf16.count, 200)
}

@inline(never) @_optimize(none)
private func keepMany() { many = .c1(Payload()) }

@inline(never) @_optimize(none)
private func keepWindowWithBlock() {
  let new = Window()
  let block: @convention(block) () -> Void = { new.number += 1 }
  new.first = { block() }
  new.second = { block() }
  window = new
}

/// Objects that a variable holds by references of a rare form, and that are no leaks.
final class HeldObjectsTests: XCTestCase {
  /// They speed up offsets in UTF-16, behind the text of a long string that is not ASCII.
  func testAStringHoldsItsBreadcrumbs() throws {
    let diff = try LiveObjects.diff { keepText() }
    XCTAssertTrue(diff.types.contains { $0.type == "Swift._StringBreadcrumbs" }, "\(diff.types)")
    XCTAssertEqual(leaks(in: diff), [])
  }

  func testAnEnumOfManyReferencesHoldsItsPayload() throws {
    let diff = try LiveObjects.diff { keepMany() }
    XCTAssertEqual(diff.instances(of: Payload.self), 1)
    XCTAssertEqual(leaks(in: diff), [])
  }

  /// The block retains the object once, for both closures.
  func testABlockOfTwoClosuresRetainsItsCapturesOnce() throws {
    let diff = try LiveObjects.diff { keepWindowWithBlock() }
    XCTAssertEqual(diff.instances(of: Window.self), 1)
    XCTAssertEqual(leaks(in: diff), [])
  }

  private func leaks(in diff: LiveObjects.Diff) -> [String] {
    diff.findings.filter { [.retainCycle, .overRetained].contains($0.verdict) }.map {
      "\($0.verdict) \($0.type)"
    }
  }
}
