import CaptureFixtures
import Foundation
import LiveObjectsCapture
import TestSupport
import Testing

/// Names come from untrusted programs, captures and folders.
@Suite("The tool prints no control characters and no forged lines")
struct TerminalTests {
  private static let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\nliveobjects: 0 leaks\r\u{202e}"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("of a capture", arguments: [TrackingStatus.State.noRuntime, .blind, .ready, .tracking])
  func showsCaptures(state: TrackingStatus.State) throws {
    var builder = CaptureBuilder(
      executable: "/x/\(Self.evil)", tracking: TrackingStatus(state: state, notes: [Self.evil]))
    let trace = builder.stackTrace([0x1000])
    builder.objects(of: builder.type("Demo.\(Self.evil)"), stackTrace: trace)
    check(try runProgram(BuiltProducts.tool, ["report", folder.write(builder.bytes, as: "capture")]))
  }

  @Test("of names of files")
  func showsFileNames() throws {
    let path = try folder.write("no capture".utf8, as: Self.evil.replacing("/", with: ""))
    for arguments in [
      [path], ["/nowhere/\(Self.evil)"], [path, "--text", "/nowhere/\(Self.evil)"],
      [path, "--binaries", path],
    ] {
      check(try runProgram(BuiltProducts.tool, ["report"] + arguments))
    }
  }

  private static let wrongArguments = [
    ["--\(evil)"], ["report", "--\(evil)", "x"], ["report", "x", "--fail-on", evil], [evil],
    ["run", evil], ["run", "--text", evil, "--json", evil, "--", "true"], ["run", "--options", evil],
    ["run", "--options", evil, "--", "true"], ["run", "--", "/nowhere/\(evil)"],
  ]

  @Test("of wrong arguments", arguments: wrongArguments)
  func showsArguments(arguments: [String]) throws {
    let result = try runProgram(BuiltProducts.tool, arguments)
    #expect(result.status == .exited(2))
    check(result)
  }

  @Test("of programs")
  func showsPrograms() throws {
    let program = folder.path(Self.evil.replacing("/", with: ""))
    try copyExecutable("/bin/true", to: program)
    check(try runProgram(BuiltProducts.tool, ["run", "--", program]))
    check(try runProgram(BuiltProducts.tool, ["run", "--explain-retains", "--", program]))
  }

  private func check(_ run: ProgramRun, _ location: SourceLocation = #_sourceLocation) {
    let output = run.standardOutput + run.standardError
    #expect(!output.isEmpty, sourceLocation: location)
    let isPlain = output.unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || ![.control, .format].contains(scalar.properties.generalCategory)
    }
    #expect(isPlain, sourceLocation: location)
    #expect(!output.contains("\nliveobjects: 0 leaks"), sourceLocation: location)
  }
}
