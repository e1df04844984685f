import Leaky
import XCTest

/// Unfinished tests are not evaluated.
final class OutcomeTests: XCTestCase {
  private struct Mistake: Error {}

  func testFails() {
    leak()
    XCTFail("for a reason of its own")
  }

  func testThrows() throws {
    leak()
    throw Mistake()
  }

  func testIsSkipped() throws {
    leak()
    throw XCTSkip("not today")
  }

  func testThrowsAfterAwaiting() async throws {
    leak()
    await Task.yield()
    throw Mistake()
  }

  private func leak() {
    let loader = Loader()
    loader.observe()
  }
}
