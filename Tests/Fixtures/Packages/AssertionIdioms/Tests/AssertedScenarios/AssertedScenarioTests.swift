import LiveObjectsTesting
import Testing

/// One case for each scenario. Some wait for what they start, and a thread of the pool with them: one after the other.
@Suite(.serialized) struct AssertedScenarioTests {
  #if compiler(>=6.1)
    @Test(.detectsLeaks, arguments: Scenario.asserted.map(\.name))
    func detected(name: String) throws {
      try plant(name)
    }
  #endif

  @Test(arguments: Scenario.asserted.map(\.name))
  func expected(name: String) throws {
    try expectNoLeaks { try plant(name) }
  }

  private func plant(_ name: String) throws {
    let scenario = try #require(Scenario.all.first { $0.name == name })
    scenario.plant()
    overwriteStack()
  }
}
