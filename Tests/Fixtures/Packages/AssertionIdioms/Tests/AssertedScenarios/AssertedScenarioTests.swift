import LiveObjectsTesting
import Testing

/// One case for each scenario. Some block a thread of the pool while they wait, so they run one after another.
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
