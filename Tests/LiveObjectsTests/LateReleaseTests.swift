import LiveObjects
import XCTest

/// Objects that are released only after the body has returned.
final class LateReleaseTests: XCTestCase {
  func testObjectOfATaskThatEndsSoonIsNoGrowth() throws {
    let diff = try LiveObjects.diff {
      let planted = GenericPlanted(1)
      Task.detached {
        try await Task.sleep(for: .milliseconds(5))
        use(planted.value)
      }
    }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testObjectOfATaskThatEndsSoonIsNoGrowthAsynchronously() async throws {
    let diff = try await LiveObjects.diff {
      let planted = GenericPlanted(1)
      Task {
        try await Task.sleep(for: .milliseconds(5))
        use(planted.value)
      }
      await Task.yield()
    }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testObjectOfABlockThatRunsSoonIsNoGrowth() throws {
    let diff = try LiveObjects.diff {
      let planted = GenericPlanted(1)
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { use(planted.value) }
    }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  @MainActor func testMainQueueRunsWhileAnAsynchronousDiffWaits() async throws {
    let diff = try await LiveObjects.diff {
      let planted = GenericPlanted(1)
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) { use(planted.value) }
      await Task.yield()
    }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testWithoutSettlingTheObjectIsCounted() throws {
    let mayGo = DispatchSemaphore(value: 0)
    let diff = try LiveObjects.diff(.init(settle: .zero)) {
      let planted = GenericPlanted(1)
      DispatchQueue.global().async {
        mayGo.wait()
        use(planted.value)
      }
    }
    mayGo.signal()
    XCTAssertEqual(diff.instances(of: GenericPlanted<Int>.self), 1)
  }

  func testCancelledTaskStillWaits() async throws {
    // Objects that Dispatch allocates once do not matter here.
    await withCheckedContinuation { done in
      DispatchQueue.global().asyncAfter(deadline: .now()) { done.resume() }
    }
    let diff = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await LiveObjects.diff {
        let planted = GenericPlanted(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { use(planted.value) }
        await Task.yield()
      }
    }.value
    XCTAssertTrue(diff.isClean, "\(diff)")
  }
}
