import Demo
import LiveObjects
import LiveObjectsXCTest
import XCTest

/// Idiom: no strong reference cycle is left by a closure, whatever it returns or throws.
final class NoLeaksTests: XCTestCase {
  func testLeaking() {
    XCTAssertNoLeaks { makeLoaderCycle() }  // fails: NoLeaksTests.testLeaking
  }

  func testMended() {
    XCTAssertNoLeaks { makeMendedLoader() }
  }

  func testOverRetained() {
    XCTAssertNoLeaks { overRetain() }  // fails: NoLeaksTests.testOverRetained
  }

  /// When the process ends, the object is held.
  func testOverRetainedAndHeldLater() {
    var complements: [UInt] = []
    XCTAssertNoLeaks {  // fails: NoLeaksTests.testOverRetainedAndHeldLater
      complements = (0..<8).map { _ in ~UInt(bitPattern: Unmanaged.passRetained(Item()).toOpaque()) }
    }
    for case let object? in complements.map({ UnsafeRawPointer(bitPattern: ~$0) }) {
      Registry.shared.items.append(Unmanaged.fromOpaque(object).takeUnretainedValue())
    }
  }

  func testOverRetainedBesideAThreadThatRuns() {
    besideAThreadThatRuns {
      XCTAssertNoLeaks { overRetainSeveral() }  // fails: NoLeaksTests.testOverRetainedBesideAThreadThatRuns
    }
  }

  func testMendedBesideAThreadThatRuns() {
    besideAThreadThatRuns {
      XCTAssertNoLeaks {
        makeMendedLoader()
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

  func testMendedAsynchronously() async throws {
    let value = try await XCTAssertNoLeaks { () async throws in
      try await Task.sleep(for: .milliseconds(1))
      makeMendedLoader()
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

  func testErrorPassesAndNothingIsClaimed() {
    XCTAssertThrowsError(
      try XCTAssertNoLeaks {
        makeLoaderCycle()
        throw DemoError()
      }
    ) { XCTAssertEqual($0 as? DemoError, DemoError()) }
  }

  func testValueIsReturnedAndMayLive() {
    let loader = XCTAssertNoLeaks { Loader(client: ClientSpy()) }
    withExtendedLifetime(loader) {}
  }

  func testSuspendedTestMayHoldWhatLives() async {
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

  func testLateReleaseOnTheMainQueueIsNoLeak() {
    XCTAssertNoLeaks(options: .init(failing: .growth(of: ["Demo.Loader"]))) {
      let loader = Loader(client: ClientSpy())
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) { [loader = Unchecked(loader)] in
        loader.value.loadMended()
      }
    }
  }

  func testStoppedRecorderIsNoCleanResult() throws {
    XCTAssertNoLeaks { LiveObjects.stop() }  // fails: NoLeaksTests.testStoppedRecorderIsNoCleanResult
    try LiveObjects.start()
  }

  func testSkippedByChoice() {
    let options = LiveObjects.LeakOptions(unevaluated: .isSkipped)
    XCTAssertNoLeaks(options: options) { makeLoaderCycle() }  // fails: NoLeaksTests.testSkippedByChoice
  }

  func testMessageIsAdded() {
    XCTAssertNoLeaks("in the demo") { makeLoaderCycle() }  // fails: NoLeaksTests.testMessageIsAdded
  }
}

/// Beside a thread that never waits.
private func besideAThreadThatRuns(_ body: () -> Void) {
  let thread = Thread { while !Thread.current.isCancelled {} }
  thread.start()
  while !thread.isExecuting {}
  body()
  thread.cancel()
}

/// Hands an object to a queue that is the only one to use it from then on.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
