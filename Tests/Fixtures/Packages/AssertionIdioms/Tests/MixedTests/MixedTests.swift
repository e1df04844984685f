import Demo
import LiveObjectsTesting
import LiveObjectsXCTest
import Testing
import XCTest

/// Assertions in tests of the other library.
final class MixedXCTests: XCTestCase {
  /// Leaks before any test runs, which fails the process; only if `testNothing` is selected.
  override class func setUp() {
    guard CommandLine.arguments.contains(where: { $0.hasSuffix("MixedXCTests/testNothing") }) else { return }
    XCTAssertNoLeaks { makeLoaderCycle() }
    expectNoLeaks { makeLoaderCycle() }
    statusOfAChild = forkAndExit()
  }

  private nonisolated(unsafe) static var statusOfAChild: Int32 = 0

  /// Swift does not import `fork`.
  private static func forkAndExit() -> Int32 {
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 { exit(0) }
    var status: Int32 = -1
    waitpid(child, &status, 0)
    return status
  }

  func testNothing() {
    XCTAssertEqual(Self.statusOfAChild, 0, "a child process fails for its parent")
  }

  func testExpectNoLeaks() {
    expectNoLeaks { makeLoaderCycle() }  // fails: MixedXCTests.testExpectNoLeaks
  }

  func testExpectNoLeaksAsynchronously() async {
    await expectNoLeaks { makeLoaderCycle() }  // fails: MixedXCTests.testExpectNoLeaksAsynchronously
  }

  func testExpectDeallocated() {
    expectDeallocated(timeout: .milliseconds(100)) {  // fails: MixedXCTests.testExpectDeallocated
      Registry.shared.items = [Item()]
      return Registry.shared.items[0]
    }
  }

  func testFixed() {
    expectNoLeaks { makeFixedLoader() }
    expectDeallocated { Item() }
  }
}

@Suite struct MixedSwiftTests {
  @Test func assertNoLeaks() {
    XCTAssertNoLeaks { makeLoaderCycle() }  // fails: assertNoLeaks()
  }

  @Test func assertNoLeaksInADetachedTask() async {
    await Task.detached {
      await XCTAssertNoLeaks { makeLoaderCycle() }
    }.value
  }

  @Test func expectNoLeaksInADetachedTask() async {
    await Task.detached {
      await expectNoLeaks { makeLoaderCycle() }
    }.value
  }

  @Test func assertDeallocated() {
    XCTAssertDeallocated(timeout: .milliseconds(100)) {  // fails: assertDeallocated()
      Registry.shared.items = [Item()]
      return Registry.shared.items[0]
    }
  }

  @Test func track() {
    XCTestCase(name: "track") { _ in }.trackForLeaks(Item())  // fails: track()
  }

  @Test func fixed() {
    XCTAssertNoLeaks { makeFixedLoader() }
    XCTAssertDeallocated { Item() }
  }
}
