import CaptureFixtures
import Foundation
import TestSupport
import Testing

@testable import LiveObjectsCapture

@Suite("liveobjects report")
struct ReportCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("prints text to standard output")
  func printsText() throws {
    let result = try report([write(makeCapture(survivors: 3))])
    #expect(result.status == .exited(0))
    #expect(result.standardOutput.contains("Demo.Loader"))
    #expect(result.standardError.isEmpty)
  }

  @Test("reads standard input, and any open file by its number")
  func readsStreams() throws {
    let path = try write(makeCapture(survivors: 3))
    let expected = try report([path]).standardOutput
    for script in ["\"$0\" report - < \"$1\"", "\"$0\" report /proc/self/fd/3 --text - 3< \"$1\""] {
      let result = try runProgram("/bin/sh", ["-c", script, BuiltProducts.tool, path])
      #expect(result.standardOutput == expected)
      #expect(result.status == .exited(0))
    }
  }

  @Test("needs no standard stream", arguments: ["0<&-", "0<&- 1>&-", "1>&-", "0<&- 1>&- 2>&-"])
  func needsNoStandardStreams(closing: String) throws {
    let path = try write(makeCapture(survivors: 3))
    let script = "\"$0\" report --text \"$2\" \"$1\" \(closing)"
    let result = try runProgram("/bin/sh", ["-c", script, BuiltProducts.tool, path, folder.path("text")])
    #expect(result.status == .exited(0))
    #expect(try folder.text(of: "text").contains("Demo.Loader"))
  }

  @Test("reads a report that begins with a line end")
  func readsFormattedReports() throws {
    let json = try report([write(makeCapture(survivors: 3)), "--json", "-"]).standardOutput
    let result = try report([folder.write(Array("\n \(json)".utf8), as: "report")])
    #expect(result.status == .exited(0))
    #expect(result.standardOutput.contains("Demo.Loader"))
  }

  @Test("merges captures")
  func mergesCaptures() throws {
    let paths = [
      try write(makeCapture(survivors: 3), as: "a"), try write(makeCapture(survivors: 4), as: "b"),
    ]
    let result = try report(paths + ["--json", "-"])
    #expect(try live("Demo.Loader", inReport: result.standardOutput) == 7)
  }

  @Test("reports on the other files if one cannot be read", arguments: ["report", "merge"])
  func leavesOutUnreadableFiles(command: String) throws {
    let paths = [try write(makeCapture(survivors: 3), as: "a"), folder.path("missing")]
    let result = try runProgram(BuiltProducts.tool, [command] + paths + ["--json", "-"])
    #expect(result.status == .exited(2))
    #expect(try live("Demo.Loader", inReport: result.standardOutput) == 3)
    #expect(result.standardError.contains("cannot read \(folder.path("missing")): "))
  }

  @Test("writes each output to its file")
  func writesOutputs() throws {
    let path = try write(makeCapture(survivors: 3))
    let result = try report([
      path, "--text", folder.path("text"), "--json", folder.path("json"), "--capture", folder.path("again"),
    ])
    #expect(result.standardOutput.isEmpty)
    #expect(try folder.text(of: "text").contains("Demo.Loader"))
    #expect(try live("Demo.Loader", inReport: folder.text(of: "json")) == 3)
    #expect(try folder.bytes(of: "again") == makeCapture(survivors: 3).bytes)
  }

  @Test(
    "fails on the findings of --fail-on, by default on leaks only",
    arguments: [
      (.growth, nil, 0), (.growth, "leaks", 0), (.growth, "held", 0), (.growth, "growth", 1),
      (.growth, "none", 0),
      (.heldByGlobal, nil, 0), (.heldByGlobal, "leaks", 0), (.heldByGlobal, "held", 1),
      (.heldByGlobal, "none", 0),
      (.retainCycle, nil, 1), (.retainCycle, "leaks", 1), (.retainCycle, "growth", 1),
      (.retainCycle, "none", 0),
    ] as [(Remainder, String?, Int32)])
  func failsOnFindings(remainder: Remainder, failOn: String?, status: Int32) throws {
    let result = try report([write(remainder.capture)] + (failOn.map { ["--fail-on", $0] } ?? []))
    #expect(result.status == .exited(status))
    #expect(!(status == 1 && result.standardOutput.contains("fails only with")))
  }

  @Test("reports first, and with status 3, that leaks could not be evaluated", arguments: ["text", "json"])
  func reportsUnevaluatedLeaks(format: String) throws {
    var leaking = Remainder.retainCycle.capture
    leaking.heapGraph(HeapGraph.Status(wasRead: false, notes: ["references were not read: no memory"]))
    let result = try report([write(leaking), "--\(format)", folder.path("out")])
    #expect(result.status == .exited(3))
    let reason = "LEAKS COULD NOT BE EVALUATED: demo (pid 12): references were not read: no memory\n"
    #expect(result.standardError == "liveobjects: \(reason)")
    let text = try folder.text(of: "out")
    #expect(format == "json" || text.hasPrefix("LiveObjects: \(reason)"))
    #expect(!text.contains("no leaks"))
    #expect(try report([write(leaking)]).standardOutput.hasPrefix("LiveObjects: \(reason)"))
  }

  @Test("reports objects with unreadable types")
  func reportsUnreadableTypes() throws {
    var builder = CaptureBuilder()
    builder.objects(3, of: builder.type("", kind: .other))
    builder.heapGraph()
    let result = try report(["--verbose", write(builder)])
    #expect(
      result.standardOutput.contains("note: 3 objects have no type that could be read"))
  }

  @Test("notes that references were not requested, and does not fail")
  func notesDisabledReferences() throws {
    let result = try report([write(makeCapture(survivors: 3))])
    #expect(result.status == .exited(0))
    #expect(result.standardOutput.contains("note: References were not read (graph=off)"))
  }

  @Test("rejects a truncated capture, and says where it ends")
  func rejectsATruncatedCapture() throws {
    let bytes = makeCapture(survivors: 3).bytes.dropLast(9)
    let result = try report([folder.write(Array(bytes), as: "cut")])
    #expect(result.status == .exited(2))
    #expect(result.standardOutput.isEmpty)
    #expect(
      result.standardError.hasPrefix("liveobjects: \(folder.path("cut")): the capture is cut off at byte "))
  }

  @Test("reads only the beginning of an endless file")
  func rejectsAnEndlessFile() throws {
    let result = try report(["/dev/zero"])
    #expect(result.status == .exited(2))
    #expect(result.standardError.hasPrefix("liveobjects: /dev/zero: not a LiveObjects capture"))
  }

  @Test("reads complete captures next to a truncated one", arguments: [true, false])
  func readsCompleteCaptures(isOneFile: Bool) throws {
    let (whole, other) = (makeCapture(survivors: 3).bytes, makeCapture(survivors: 4).bytes)
    let cut = Array(other.dropLast(9))
    let paths =
      isOneFile
      ? [try folder.write(whole + cut, as: "all")]
      : [try folder.write(cut, as: "cut"), try folder.write(whole, as: "whole")]
    let result = try report(paths + ["--json", "-", "--capture", folder.path("kept")])
    #expect(result.status == .exited(2))
    #expect(try live("Demo.Loader", inReport: result.standardOutput) == 3)
    #expect(result.standardOutput.contains("\"complete\": false"))
    #expect(result.standardError.contains(": the capture is cut off at byte "))
    #expect(try folder.bytes(of: "kept") == whole)
  }

  @Test(
    "reports why nothing was watched, in one line and with status 3",
    arguments: [
      (TrackingStatus.State.blind, "it is stripped"), (.noRuntime, "/app/demo contains no Swift runtime"),
    ])
  func reportsWhyNothingWasWatched(state: TrackingStatus.State, reason: String) throws {
    let tracking = TrackingStatus(state: state, notes: state == .blind ? ["it is stripped"] : [])
    let capture = try write(CaptureBuilder(tracking: tracking))
    let result = try report([capture])
    #expect(result.status == .exited(3))
    #expect(result.standardError == "liveobjects: nothing was watched: \(reason)\n")
    #expect(result.standardOutput.isEmpty)
    #expect(try report([capture, "--json", "-"]).standardOutput.components(separatedBy: reason).count == 2)
  }

  @Test("rejects a folder of binaries that it cannot list", arguments: ["/nowhere", "/bin/sh"])
  func rejectsAnInvalidFolder(path: String) throws {
    let result = try report([write(makeCapture(survivors: 3)), "--binaries", path])
    #expect(result.status == .exited(2))
    #expect(result.standardOutput.isEmpty)
    #expect(result.standardError.hasPrefix("liveobjects: cannot read \(path): "))
  }

  @Test("reports that it cannot write", arguments: ["/nowhere/report", "/dev/full"])
  func reportsWriteErrors(path: String) throws {
    let result = try report([write(makeCapture(survivors: 3)), "--text", path])
    #expect(result.status == .exited(2))
    #expect(result.standardError.hasPrefix("liveobjects: cannot write \(path): "))
  }

  @Test("says that a pattern matches no test, and fails")
  func rejectsPatternsWithoutTests() throws {
    var builder = makeCapture(survivors: 3)
    builder.test("Demo.Suite/test") { _, _ in }
    let result = try report([write(builder), "--test", "Nope*"])
    #expect(result.status == .exited(2))
    #expect(result.standardError == "liveobjects: --test Nope* matches none of 1 test\n")
    #expect(result.standardOutput.hasPrefix("LiveObjects: nothing of yours was left behind"))
  }

  /// A limit on the size of files is like a full disk.
  @Test("leaves a file as it was, and prints the report, where its contents cannot be written")
  func keepsFilesOnAFullDisk() throws {
    let capture = try write(makeCapture(survivors: 3))
    try "old".write(toFile: folder.path("old.html"), atomically: false, encoding: .utf8)
    let command = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""
    let result = try runProgram(
      "/bin/sh",
      ["-c", command, BuiltProducts.tool, "report", capture]
        + [
          "--html", folder.path("old.html"), "--json", folder.path("new.json"), "--folded",
          folder.path("folded"),
        ])
    #expect(result.status == .exited(2))
    let lines = result.standardError.split(separator: "\n").map(String.init)
    #expect(
      Array(lines.prefix(2))
        == ["new.json", "old.html"].map { "liveobjects: cannot write \(folder.path($0)): File too large" })
    #expect(lines.dropFirst(2).first?.hasPrefix("LiveObjects: ") == true)
    #expect(try folder.text(of: "old.html") == "old")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.allSatisfy { !$0.hasPrefix(".liveobjects") })
    #expect(files.contains("folded"))
  }

  @Test("keeps the permissions of a file and what a link leads to")
  func replacesFilesAsTheyAre() throws {
    let capture = try write(makeCapture(survivors: 3))
    try "old".write(toFile: folder.path("real"), atomically: false, encoding: .utf8)
    #expect(chmod(folder.path("real"), 0o640) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "real")
    #expect(try report([capture, "--text", folder.path("link")]).status == .exited(0))
    #expect(try folder.text(of: "real").hasPrefix("LiveObjects: "))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("real"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == "real")
  }

  // MARK: - Captures

  private func makeCapture(survivors: Int) -> CaptureBuilder {
    var builder = CaptureBuilder()
    let loader = builder.type("Demo.Loader")
    builder.objects(survivors, of: loader, stackTrace: builder.stackTrace([0x1000, 0x2000]))
    return builder
  }

  private func write(_ builder: CaptureBuilder, as name: String = "capture") throws -> String {
    try folder.write(builder.bytes, as: name)
  }

  private func report(_ arguments: [String]) throws -> ProgramRun {
    try runProgram(BuiltProducts.tool, ["report"] + arguments)
  }

  private func live(_ type: String, inReport json: String) throws -> Int? {
    try JSONReport(Array(json.utf8)).types.first { $0.type == type }?.live
  }
}

/// The survivors of a program, with their references.
enum Remainder: CaseIterable {
  case growth, heldByGlobal, retainCycle

  var capture: CaptureBuilder {
    var builder = CaptureBuilder()
    let first = builder.object(of: builder.type("Demo.Loader"))
    switch self {
    case .growth: break
    case .heldByGlobal: builder.global(0x8000, to: first)
    case .retainCycle:
      let second = builder.object(of: builder.type("Demo.Spy"))
      builder.reference(from: first, to: second, property: "spy")
      builder.reference(from: second, to: first, property: "loader")
    }
    return builder
  }
}
