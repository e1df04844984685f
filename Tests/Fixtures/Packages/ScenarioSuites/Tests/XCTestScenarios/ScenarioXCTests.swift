import XCTest

/// Runs one test for each scenario, `ScenarioXCTests/test_NAME`, in the order of `Scenario.all`.
final class AllScenarios: XCTestCase {
  func testRunsEach() {
    for scenario in Scenario.all {
      ScenarioXCTests(name: "test_\(scenario.name)") { _ in
        guard Scenario.planted.contains(scenario.name) else { return }
        scenario.plant()
        overwriteStack()
      }.run()
    }
  }
}

final class ScenarioXCTests: XCTestCase {}
