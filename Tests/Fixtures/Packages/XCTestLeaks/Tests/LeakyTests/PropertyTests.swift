import Leaky
import XCTest

/// A test case lives until the process ends, and so do objects in its properties: they are not leaks.
final class PropertyTests: XCTestCase {
  private var tokens: [Token] = []
  private lazy var made = Token()
  private weak var observed: Token?
  private unowned var unowned: Token = kept
  private static let kept = Token()

  func testKeepsObjects() {
    tokens = [Token(), Token()]
    made.use()
    observed = tokens[0]
  }

  func testForgetsAnUnownedObject() {
    let token = Token()
    unowned = token
  }
}
