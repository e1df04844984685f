import TestSupport
import Testing

@Suite("liveobjects run --explain-retains")
struct ExplainRetainsTests {
  @Test("runs a program that leaks again, and names the call that retained")
  func namesTheCall() throws {
    let result = try run([BuiltProducts.executable("Scenarios"), "passRetained"])
    #expect(result.standardError.contains("running again, to record the retains of Scenarios.Handle\n"))
    #expect(result.standardError.contains(/\+1 +Handle\.giveAway\(\)/))
    #expect(result.status == .exited(1))
  }

  @Test("runs a program without findings once")
  func runsOnce() throws {
    let result = try run(["sh", "-c", "echo once"])
    #expect(result.standardOutput == "once\n")
    #expect(!result.standardError.contains("running again"))
  }

  private func run(_ command: [String]) throws -> ProgramRun {
    try runProgram(BuiltProducts.tool, ["run", "--explain-retains", "--"] + command)
  }
}
