import Foundation
import XCTest

private final class Session {
  var onEnd: (() -> Void)?
  var isOpen = true

  func end() { isOpen = false }
}

final class SessionTests: XCTestCase {
  func testLeaks() {
    let session = Session()
    session.onEnd = { session.end() }
    XCTAssertTrue(session.isOpen)
  }

  func testIsClean() {
    let session = Session()
    session.onEnd = { [weak session] in session?.end() }
    session.onEnd?()
    XCTAssertFalse(session.isOpen)
  }

  func testAsync() async throws {
    let values = await withTaskGroup(of: Int.self) { group in
      for index in 0..<16 { group.addTask { index } }
      return await group.reduce(0, +)
    }
    XCTAssertEqual(values, 120)
  }

  func testFoundation() throws {
    let data = try JSONEncoder().encode(["key": [1, 2, 3]])
    XCTAssertEqual(try JSONDecoder().decode([String: [Int]].self, from: data), ["key": [1, 2, 3]])
  }

  func testDispatch() {
    let done = expectation(description: "done")
    DispatchQueue.global().async { done.fulfill() }
    wait(for: [done], timeout: 60)
  }
}
