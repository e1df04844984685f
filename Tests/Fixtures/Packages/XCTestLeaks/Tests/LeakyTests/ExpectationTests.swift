import Dispatch
import Foundation
import Leaky
import XCTest

/// Objects that XCTest itself allocates for a test.
final class ExpectationTests: XCTestCase {
  func testFulfilledExpectation() {
    let expectation = expectation(description: "done")
    DispatchQueue.global().async { expectation.fulfill() }
    wait(for: [expectation], timeout: 5)
  }

  func testSeveralExpectations() async {
    let expectations = (1...3).map { XCTestExpectation(description: "\($0)") }
    for expectation in expectations { Task { expectation.fulfill() } }
    await fulfillment(of: expectations, timeout: 5)
  }

  func testNotification() {
    let name = Notification.Name("LeakyTests")
    let expectation = expectation(forNotification: name, object: nil)
    NotificationCenter.default.post(name: name, object: nil)
    wait(for: [expectation], timeout: 5)
  }

  func testPredicate() {
    let predicate = XCTNSPredicateExpectation(predicate: NSPredicate { _, _ in true }, object: Token())
    wait(for: [predicate], timeout: 5)
  }

  func testMeasure() {
    measure { _ = Token() }
  }
}
