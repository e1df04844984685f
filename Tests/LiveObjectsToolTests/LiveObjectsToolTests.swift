import TestSupport
import Testing

@Suite("liveobjects")
struct LiveObjectsToolTests {
  @Test("prints its version")
  func printsItsVersion() throws {
    let result = try runProgram(BuiltProducts.tool, ["--version"])
    #expect(result.status == .exited(0))
    #expect(result.standardOutput == "0.1.0\n")
  }

  @Test("lists in the help which findings can fail", arguments: ["run", "report"])
  func listsWhatCanFail(command: String) throws {
    let result = try runProgram(BuiltProducts.tool, [command, "--help"])
    let words = result.standardOutput.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("leaks are unreachable objects"))
  }
}
