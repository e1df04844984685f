import Foundation
import TestSupport
import Testing

@Suite("malloc=on")
struct MallocTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("finds all that the program and the C library have lost, and nothing else")
  func findsLostMemory() throws {
    let findings = try findings(options: "malloc=on")
    let lost = findings.filter { $0.verdict == "lostBuffer" }
    let calls = lost.flatMap(\.allocatedAt).map(\.instances).sorted()
    #expect(calls == [11, 12, 13, 14, 15, 16, 17])
    #expect(lost.map(\.instances).sorted() == [17, 81])
    #expect(lost.allSatisfy { !$0.libraryLeak })
  }

  @Test("names the calls of the program, also where the C library allocated for it")
  func namesCalls() throws {
    let lost = try findings(options: "malloc=on").filter { $0.verdict == "lostBuffer" }
    #expect(
      lost.allSatisfy {
        $0.allocatedAt.allSatisfy { $0.frames.contains { $0.file?.hasSuffix("main.swift") == true } }
      })
    let ofList = try #require(lost.first { $0.instances == 17 })
    #expect(ofList.allocatedAt.first?.frames.first?.function == "loseList()")
  }

  @Test("records nothing without the option")
  func isOff() throws {
    #expect(try findings(options: "malloc=off").isEmpty)
  }

  private func findings(options: String) throws -> [JSONReport.Finding] {
    let run = try runProgram(
      BuiltProducts.tool,
      [
        "run", "--options", options, "--json", folder.path("json"), "--",
        BuiltProducts.executable("MallocUses"),
      ])
    #expect(run.standardOutput == "done\n", "\(run.standardError)")
    return try JSONReport(folder.bytes(of: "json")).findings
  }
}
