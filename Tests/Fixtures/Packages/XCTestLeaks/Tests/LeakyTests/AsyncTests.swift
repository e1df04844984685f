import Leaky
import XCTest

final class AsyncTests: XCTestCase {
  override func setUp() async throws { await Task.yield() }
  override func tearDown() async throws { await Task.yield() }

  func testLeaksAfterAwaiting() async {
    await Task.yield()
    let loader = Loader()
    loader.observe()
  }

  func testLeavesNothing() async throws {
    let token = Token()
    async let sum = Self.use(token)
    let value = await sum
    XCTAssertEqual(value, 1)
  }

  private static func use(_ token: Token) async -> Int {
    token.use()
    return 1
  }

  @MainActor func testLeavesNothingOnTheMainActor() async {
    await Task.yield()
  }
}
