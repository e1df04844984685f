import CaptureFixtures
import Foundation
import TestSupport
import Testing

/// `liveobjects diff` and `liveobjects merge`, of captures and of the JSON reports on them.
@Suite("comparing and merging")
struct CompareCommandsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: - diff

  @Test(
    "diff fails on what is new, and on nothing else",
    arguments: [
      (.growth, .retainCycle, "1 new, 1 gone", 1), (.retainCycle, .growth, "1 new, 1 gone", 0),
      (.retainCycle, .retainCycle, "0 new, 0 gone, 0 grown, 1 the same", 0),
    ] as [(Remainder, Remainder, String, Int32)])
  func comparesCaptures(before: Remainder, after: Remainder, verdict: String, status: Int32) throws {
    let result = try tool(["diff", write(before, as: "before"), write(after, as: "after")])
    #expect(result.status == .exited(status))
    #expect(result.standardOutput.hasPrefix("LiveObjects: \(verdict)"), "\(result.standardOutput)")
    #expect(result.standardError.isEmpty)
  }

  @Test("diff compares a JSON report with a capture as it compares captures")
  func comparesReports() throws {
    let (before, after) = (try write(.heldByGlobal, as: "before"), try write(.retainCycle, as: "after"))
    let json = folder.path("before.json")
    #expect(try tool(["report", before, "--json", json]).status == .exited(0))
    let expected = try tool(["diff", before, after])
    let result = try tool(["diff", json, after])
    #expect(result.standardOutput == expected.standardOutput)
    #expect(result.status == .exited(1))
  }

  @Test("diff writes only what is new in other formats")
  func writesWhatIsNew() throws {
    let paths = [try write(.retainCycle, as: "before"), try write(.retainCycle, as: "after")]
    let result = try tool(["diff"] + paths + ["--json", "-"])
    #expect(try findings(in: result.standardOutput).isEmpty)
    #expect(result.status == .exited(0))
  }

  @Test("diff needs all of the earlier file: what it lacks would be new")
  func rejectsATruncatedFile() throws {
    let cut = try folder.write(Array(Remainder.retainCycle.capture.bytes.dropLast(9)), as: "cut")
    let result = try tool(["diff", cut, write(.retainCycle, as: "after")])
    #expect(result.status == .exited(2))
    #expect(result.standardOutput.isEmpty)
    #expect(result.standardError.hasPrefix("liveobjects: \(cut): the capture is cut off at byte "))
  }

  // MARK: - merge

  @Test("merge counts the same finding of several files once", arguments: [false, true])
  func mergesTheSameFinding(areReports: Bool) throws {
    let captures = try (1...3).map { try write(.retainCycle, as: "shard\($0)") }
    let reports = captures.map { $0 + ".json" }
    for (capture, report) in zip(captures, reports) where areReports {
      _ = try tool(["report", capture, "--json", report])
    }
    let result = try tool(["merge"] + (areReports ? reports : captures) + ["--json", "-"])
    let findings = try findings(in: result.standardOutput)
    #expect(findings.map(\.verdict) == ["retainCycle"])
    #expect(findings.first?.instances == 3)
    #expect(result.status == .exited(1))
  }

  @Test("merge reports what it could read, and fails for the rest")
  func mergesTheRest() throws {
    let paths = [
      try write(.retainCycle, as: "whole"), try folder.write(Array("{\"a\": 1}".utf8), as: "other"),
    ]
    let result = try tool(["merge"] + paths + ["--json", "-"])
    #expect(try findings(in: result.standardOutput).count == 1)
    #expect(
      result.standardError.hasPrefix("liveobjects: \(paths[1]) is no report: "), "\(result.standardError)")
    #expect(result.status == .exited(2))
  }

  @Test("annotations leave standard output to nothing else", arguments: ["report", "merge"])
  func annotationsNeedStandardOutput(command: String) throws {
    let capture = try write(.retainCycle, as: "capture")
    let result = try tool([command, capture, "--annotations", "github", "--json", "-"])
    #expect(result.status == .exited(2))
    #expect(result.standardError.contains("Annotations go to standard output: a report needs a file."))
    #expect(result.standardOutput.isEmpty)
  }

  // MARK: - Files

  private func write(_ remainder: Remainder, as name: String) throws -> String {
    try folder.write(remainder.capture.bytes, as: name)
  }

  private func tool(_ arguments: [String]) throws -> ProgramRun {
    try runProgram(BuiltProducts.tool, arguments)
  }

  private func findings(in json: String) throws -> [JSONReport.Finding] {
    try JSONReport(Array(json.utf8)).findings
  }
}
