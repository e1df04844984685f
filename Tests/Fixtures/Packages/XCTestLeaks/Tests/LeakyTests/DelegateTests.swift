import Leaky
import XCTest

final class DelegateTests: XCTestCase {
  func testStrongDelegate() {
    let coordinator = Coordinator()
    coordinator.becomeDelegate()
  }

  func testWeakDelegate() {
    let coordinator = FixedCoordinator()
    coordinator.becomeDelegate()
  }

  @inline(never) func testRetainedOnceTooOften() {
    let token = Token()
    token.use()
    _ = Unmanaged.passRetained(token)
  }
}
