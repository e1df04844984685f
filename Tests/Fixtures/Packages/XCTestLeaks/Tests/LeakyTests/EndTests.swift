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

  /// As on a loaded machine, where XCTest ended the process when `failLate` did not wait for the test's end.
  override func tearDown() async throws { try await Task.sleep(for: .milliseconds(100)) }

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
    loader.failLate(in: self)
  }
}

extension Loader {
  /// Fails `test` on the main queue, and breaks the cycle, once a failure does not end the process: not before the end
  /// of a test that stops at failures.
  func failLate(in test: XCTestCase) {
    nonisolated(unsafe) let test = test
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      if test.continueAfterFailure {
        self?.handler = nil
        XCTFail("late")
      } else {
        self?.failLate(in: test)
      }
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
