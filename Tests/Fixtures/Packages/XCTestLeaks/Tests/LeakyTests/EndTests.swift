import Leaky
import XCTest

/// XCTest ends the process at the first failure of a test whose `continueAfterFailure` is false. XCTest's property is
/// always true, so the test has to override it.
final class StoppingTests: XCTestCase {
  private var continues = false

  override var continueAfterFailure: Bool {
    get { continues }
    set { continues = newValue }
  }

  func testA_leaksTwice() {
    let loader = Loader()
    loader.observe()
    let coordinator = Coordinator()
    coordinator.becomeDelegate()
  }

  func testB_leavesNothing() {
    XCTAssertFalse(continueAfterFailure)
  }

  func testC_failsAfterItsEnd() {
    let loader = Loader()
    loader.observe()
    loader.failLate()
  }
}

extension Loader {
  /// On the main queue, when the cycle is broken as well.
  func failLate() {
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      self?.handler = nil
      XCTFail("late")
    }
  }
}

final class MeasuringTests: XCTestCase {
  func testLeaksWhileItIsMeasured() {
    measure {
      let loader = Loader()
      loader.observe()
    }
  }
}

/// The class releases an object after its last test, so it was alive at the end of the test.
final class ClassTearDownTests: XCTestCase {
  private nonisolated(unsafe) static var token: Token?

  override class func tearDown() { token = nil }

  func testKeepsATokenForItsClass() {
    Self.token = Token()
  }
}
