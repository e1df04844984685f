import LiveObjectsXCTest
import XCTest

final class AssertedScenarioXCTests: XCTestCase {
  /// The scenario's name is the message.
  func testEveryScenario() {
    for scenario in Scenario.asserted {
      XCTAssertNoLeaks(scenario.name) {
        scenario.plant()
        overwriteStack()
      }
    }
  }
}
