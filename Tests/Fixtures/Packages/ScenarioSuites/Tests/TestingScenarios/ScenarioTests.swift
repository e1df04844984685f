import Testing

/// One case for each scenario. Some wait for what they start, and a thread of the pool with them: one after the other.
@Test(.serialized, arguments: Scenario.all.map(\.name))
func scenario(name: String) throws {
  let scenario = try #require(Scenario.all.first { $0.name == name })
  scenario.plant()
  overwriteStack()
}
