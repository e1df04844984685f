import Testing

/// One case for each scenario. Some block a thread of the pool while they wait, so they run one after another.
@Test(.serialized, arguments: Scenario.all.map(\.name))
func scenario(name: String) throws {
  let scenario = try #require(Scenario.all.first { $0.name == name })
  guard Scenario.planted.contains(name) else { return }
  scenario.plant()
  overwriteStack()
}
