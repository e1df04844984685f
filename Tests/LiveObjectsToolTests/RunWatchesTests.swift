import Foundation
import TestSupport
import Testing

/// The fixture `Survivors` leaves 101 instances of `PlantedClass` behind, among others.
@Suite("liveobjects run watches")
struct RunWatchesTests {
  private let folder: TemporaryFolder
  private let survivors = BuiltProducts.executable("Survivors")
  private let exiter = BuiltProducts.executable("Exiter")

  init() throws { folder = try TemporaryFolder() }

  @Test("a program, and reports to standard error")
  func watchesAProgram() throws {
    let plain = try runProgram(survivors)
    let watched = try run(["--fail-on", "none", "--", survivors])
    #expect(watched.status == .exited(0))
    #expect(watched.standardOutput == plain.standardOutput)
    #expect(watched.standardError.contains("Survivors.PlantedClass"))
  }

  @Test("and fails on the findings of --fail-on", arguments: [("leaks", 1), ("growth", 1), ("none", 0)])
  func failsOnFindings(failOn: String, status: Int32) throws {
    #expect(try run(["--fail-on", failOn, "--", survivors]).status == .exited(status))
  }

  @Test("every process that the program starts")
  func watchesChildren() throws {
    let script = "\(survivors) && \(survivors)"
    let result = try run(["--fail-on", "none", "--json", folder.path("json"), "--", "sh", "-c", script])
    #expect(result.status == .exited(0))
    #expect(try planted(in: folder.text(of: "json")) == 2 * 101)
  }

  @Test("and does not report a run as complete if a process was killed")
  func countsLostProcesses() throws {
    let script = "\(survivors); \(exiter) abort; exit 0"
    let result = try run(["--fail-on", "none", "--json", folder.path("json"), "--", "sh", "-c", script])
    #expect(result.status == .exited(0))
    #expect(try folder.text(of: "json").contains("ended before it could report"))
    #expect(try folder.text(of: "json").contains("\"complete\": false"))
  }

  @Test("and reports in one line that the program was killed")
  func reportsAKilledProgram() throws {
    let result = try run(["--", exiter, "abort"])
    let line = "liveobjects: nothing was watched: \(exiter) was killed by signal 6 before it could report\n"
    #expect(result.status == .exited(134))
    #expect(result.standardError.hasSuffix(line))
    #expect(result.standardError.components(separatedBy: "liveobjects:").count == 2)
  }

  @Test("and keeps a capture that reproduces the report")
  func keepsTheCapture() throws {
    _ = try run(["--capture", folder.path("capture"), "--json", folder.path("json"), "--", survivors])
    let again = try runProgram(BuiltProducts.tool, ["report", "--json", "-", folder.path("capture")])
    #expect(try again.standardOutput.withoutCommand == folder.text(of: "json").withoutCommand)
    #expect(try planted(in: again.standardOutput) == 101)
  }

  @Test("and names the lines that allocated")
  func namesLines() throws {
    let result = try run(["--text", "-", "--", survivors])
    #expect(result.standardOutput.contains("Plants.swift:"))
    #expect(result.standardOutput.contains("plantClasses(_:)"))
  }

  @Test("and calls no entry of the package's baseline stale")
  func keepsEntriesOfOtherPrograms() throws {
    let entry = "00000000000000c1\t-\tDemo.Server\n"
    for (name, text) in [("Package.swift", ""), (".liveobjects-baseline", entry)] {
      try folder.write(text.utf8, as: name)
    }
    let script = "cd '\(folder.path(""))' && \"$0\" run --fail-on none -- \"$1\""
    let result = try runProgram("/bin/sh", ["-c", script, BuiltProducts.tool, survivors])
    #expect(result.status == .exited(0))
    #expect(result.standardError.contains("Survivors.PlantedClass"))
    #expect(!result.standardError.contains("stale"))
  }

  @Test("and does not run again what a signal has ended", arguments: ["INT", "TERM"])
  func runsOnceIfItIsEnded(signal: String) throws {
    let script = "echo run; \(survivors) >/dev/null; kill -\(signal) $$"
    let result = try run(["--explain-retains", "--", "sh", "-c", script])
    #expect(result.status == .exited(signal == "INT" ? 130 : 143))
    #expect(result.standardOutput == "run\n")
  }

  @Test("with the given options")
  func passesOptions() throws {
    let result = try run(["--text", "-", "--options", "stacks=off", "--", survivors])
    #expect(result.standardOutput.contains("Survivors.PlantedClass"))
    #expect(!result.standardOutput.contains("Plants.swift:"))
  }

  private func run(_ arguments: [String]) throws -> ProgramRun {
    try runProgram(BuiltProducts.tool, ["run"] + arguments)
  }

  /// The live instances of `PlantedClass` in a JSON report.
  private func planted(in json: String) throws -> Int? {
    try JSONReport(Array(json.utf8)).types.first { $0.type == "Survivors.PlantedClass" }?.live
  }
}
