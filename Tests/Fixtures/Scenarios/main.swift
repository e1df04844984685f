// Scenarios NAME
//
// Plants one scenario, drops its own references, and ends. `Scenarios --list` names all.
// The expected findings are in Tests/ScenarioTests/Findings+*.swift.

let name = CommandLine.arguments.dropFirst().first
if name == "--list" {
  print(Scenario.all.map(\.name).joined(separator: "\n"))
} else if let scenario = (Scenario.all + Scenario.alone).first(where: { $0.name == name }) {
  scenario.plant()
  overwriteStack()
} else {
  fatalError("no such scenario: \(name ?? "none was named")")
}
