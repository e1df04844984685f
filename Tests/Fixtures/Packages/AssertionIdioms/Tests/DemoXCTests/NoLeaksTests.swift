import Demo
import LiveObjects
import LiveObjectsXCTest
import XCTest

/// Idiom: a closure leaves no retain cycle behind.
final class NoLeaksTests: XCTestCase {
  func testLeaking() {
    XCTAssertNoLeaks { makeLoaderCycle() }  // fails: NoLeaksTests.testLeaking
  }

  func testFixed() {
    XCTAssertNoLeaks { makeFixedLoader() }
  }

  func testOverRetained() {
    XCTAssertNoLeaks { overRetainSeveral() }  // fails: NoLeaksTests.testOverRetained
  }

  /// A static holds the objects when the process ends.
  func testOverRetainedAndHeldLater() {
    var complements: [UInt] = []
    XCTAssertNoLeaks {  // fails: NoLeaksTests.testOverRetainedAndHeldLater
      complements = (0..<8).map { _ in ~UInt(bitPattern: Unmanaged.passRetained(Item()).toOpaque()) }
    }
    for case let object? in complements.map({ UnsafeRawPointer(bitPattern: ~$0) }) {
      Registry.shared.items.append(Unmanaged.fromOpaque(object).takeUnretainedValue())
    }
  }

  func testOverRetainedWhileAnotherThreadRuns() {
    whileAnotherThreadRuns {
      XCTAssertNoLeaks { overRetainSeveral() }  // fails: NoLeaksTests.testOverRetainedWhileAnotherThreadRuns
    }
  }

  func testFixedWhileAnotherThreadRuns() {
    whileAnotherThreadRuns {
      XCTAssertNoLeaks {
        makeFixedLoader()
        Registry.shared.items.append(Item())
      }
      let loader = XCTAssertNoLeaks { Loader(client: ClientSpy()) }
      withExtendedLifetime(loader) {}
    }
  }

  func testOverRetainedAsynchronously() async {
    await XCTAssertNoLeaks {  // fails: NoLeaksTests.testOverRetainedAsynchronously
      await Task.yield()
      overRetainSeveral()
    }
  }

  func testLeakingAsynchronously() async {
    await XCTAssertNoLeaks {  // fails: NoLeaksTests.testLeakingAsynchronously
      await Task.yield()
      makeLoaderCycle()
    }
  }

  func testFixedAsynchronously() async throws {
    let value = try await XCTAssertNoLeaks { () async throws in
      try await Task.sleep(for: .milliseconds(1))
      makeFixedLoader()
      return 42
    }
    XCTAssertEqual(value, 42)
  }

  @MainActor func testBodyRunsOnTheCallersActor() async {
    var runs = 0
    await XCTAssertNoLeaks(options: .init(warmUp: 1, iterations: 2)) {
      MainActor.assertIsolated()
      await Task.yield()
      runs += 1
    }
    XCTAssertEqual(runs, 3)
  }

  func testThrowingReportsNoLeak() {
    XCTAssertThrowsError(
      try XCTAssertNoLeaks {
        makeLoaderCycle()
        throw DemoError()
      }
    ) { XCTAssertEqual($0 as? DemoError, DemoError()) }
  }

  func testReturnedValueMayStayAlive() {
    let loader = XCTAssertNoLeaks { Loader(client: ClientSpy()) }
    withExtendedLifetime(loader) {}
  }

  func testSuspendedTestMayHoldSurvivors() async {
    var kept: [Item] = []
    let item = await XCTAssertNoLeaks { () async -> Item in
      await Task.yield()
      kept.append(Item())
      return Item()
    }
    withExtendedLifetime((item, kept)) {}
  }

  func testMainThreadMayWaitForTheAssertion() {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      await XCTAssertNoLeaks {
        await Task.yield()
        Registry.shared.items.append(Item())
      }
      isDone.signal()
    }
    isDone.wait()
  }

  func testCacheIsNoLeak() {
    XCTAssertNoLeaks { Registry.shared.items.append(Item()) }
  }

  func testGrowthOnRequest() {
    let options = LiveObjects.LeakOptions(failing: .growth(of: ["Demo.Item"]))
    XCTAssertNoLeaks(options: options) {  // fails: NoLeaksTests.testGrowthOnRequest
      Registry.shared.items.append(Item())
    }
  }

  func testMisspeltType() {
    let options = LiveObjects.LeakOptions(
      failing: .growth(of: ["Demo.Item", "Demo.Itm", "Deno.Item", "Holdr<Int>"]))
    XCTAssertNoLeaks(options: options) {}  // fails: NoLeaksTests.testMisspeltType
  }

  /// Where no instance was ever made.
  func testRightNamesOfTypesAreAccepted() {
    final class Local {}
    withExtendedLifetime((Local.self, Unused.self, Unused.Inner.self, UnusedBox<Int>.self, [Int].Unused.self))
    {}
    let names = [
      "Unused", "DemoXCTests.Unused.Inner", "NoLeaksTests.Local", "UnusedBox<Swift.Int>",
      "DemoXCTests.UnusedBox",
      "Swift._ContiguousArrayStorage<Demo.Itm", "UnusedProtocol", "Array<Swift.Int>.Unused", "Array", "Demo.",
      "closure #1 in DemoXCTests.missing", "closure", "raw buffer", "DemoXCTests.Unused.method",
      "Swift.AnyKeyPath",
      "Foundation.NSObject", "(extension in DemoXCTests)",
    ]
    XCTAssertNoLeaks(options: .init(failing: .growth(of: names))) {}
  }

  func testLateReleaseOnTheMainQueueIsNoLeak() {
    XCTAssertNoLeaks(options: .init(failing: .growth(of: ["Demo.Loader"]))) {
      let loader = Loader(client: ClientSpy())
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) { [loader = Unchecked(loader)] in
        loader.value.loadFixed()
      }
    }
  }

  func testStoppedRecorderFails() throws {
    XCTAssertNoLeaks { LiveObjects.stop() }  // fails: NoLeaksTests.testStoppedRecorderFails
    try LiveObjects.start()
  }

  func testSkippedOnRequest() {
    let options = LiveObjects.LeakOptions(unevaluated: .isSkipped)
    XCTAssertNoLeaks(options: options) { makeLoaderCycle() }  // fails: NoLeaksTests.testSkippedOnRequest
  }

  func testMessageIsAdded() {
    XCTAssertNoLeaks("in the demo") { makeLoaderCycle() }  // fails: NoLeaksTests.testMessageIsAdded
  }
}

/// Runs `body` while another thread never waits.
private func whileAnotherThreadRuns(_ body: () -> Void) {
  let thread = Thread { while !Thread.current.isCancelled {} }
  thread.start()
  while !thread.isExecuting {}
  body()
  thread.cancel()
}

/// Passes an object to a queue; no other code uses it from then on.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

private final class Unused {
  actor Inner {}
}

private final class UnusedBox<Value> {}

protocol UnusedProtocol: AnyObject {}

extension [Int] {
  fileprivate final class Unused {}
}
