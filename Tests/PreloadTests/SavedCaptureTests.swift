import Foundation
import TestSupport
import Testing

/// Without a tool that renders the report: one line, and the capture as a file.
struct SavedCaptureTests {
  let exiter = BuiltProducts.executable("Exiter")
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a shell command under the library, with the folder for temporary files.
  func run(_ command: String, options: String = withoutTool) throws -> ProgramRun {
    try runPreloaded("/bin/sh", ["-c", command], options: options, environment: ["TMPDIR": folder.path])
  }

  /// The one file of the folder whose name ends in `.capture`.
  func capture() throws -> String {
    let names = try folder.names().filter { $0.hasSuffix(".capture") }
    try #require(names.count == 1)
    return folder.path(names[0])
  }

  func line(_ why: String, _ capture: String) -> String {
    "LiveObjects: no report: \(why). The capture is in \(capture); read it with: liveobjects report \(capture)\n"
  }

  @Test func lineNamesACaptureThatTheToolCanRead() throws {
    let run = try run("exec '\(exiter)' exit 5")
    let capture = try capture()
    #expect(capture.wholeMatch(of: /.*\/liveobjects\.[0-9]+\.capture/) != nil)
    #expect(run.standardError == line("cannot run /does/not/exist: No such file or directory", capture))
    #expect(run.standardOutput == "about to end\n")
    #expect(run.status == .exited(5))
    let report = try runProgram(BuiltProducts.tool, ["report", capture])
    #expect(report.standardOutput.contains("Exiter.Leftover"))
  }

  @Test func captureIsReadableOnlyByItsUser() throws {
    _ = try run("umask 0; exec '\(exiter)' return")
    let mode = try FileManager.default.attributesOfItem(atPath: capture())[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func libraryWithoutAToolSaysHowToBuildOne() throws {
    let library = folder.path("libLiveObjectsPreload.so")
    try copyExecutable(BuiltProducts.preloadLibrary, to: library)
    let run = try runProgram(
      exiter, ["return"], environment: ["LD_PRELOAD": library, "TMPDIR": folder.path])
    let why =
      "there is no liveobjects tool in the folder of the preload library or in ../../bin "
      + "(`swift build --product liveobjects` builds it, tool=PATH names one)"
    let expected = line(why, try capture())
    #expect(run.standardError == expected)
  }

  @Test(arguments: [
    ("echo half a report; kill -9 $$", "ended with signal 9"), ("echo error; exit 2", "failed with status 2"),
    ("true", "wrote no report"),
  ])
  func lineHasTheStatusOfTheTool(script: String, end: String) throws {
    let tool = try Script(script)
    let run = try run("exec '\(exiter)' return", options: "tool=\(tool.path)")
    let expected = line("\(tool.path) \(end)", try capture())
    #expect(run.standardError == expected)
  }

  @Test(arguments: ["text", "json"])
  func captureIsNextToTheOutput(format: String) throws {
    let output = folder.path("report")
    let run = try run("exec '\(exiter)' return", options: "\(withoutTool):output=\(output):format=\(format)")
    #expect(try capture().hasPrefix("\(output)."))
    #expect(run.standardError.hasSuffix("liveobjects report \(try capture())\n"))
    #expect(try folder.text(of: "report") == "")
  }

  @Test func captureOfAStreamIsATemporaryFile() throws {
    _ = try run("exec '\(exiter)' return", options: "\(withoutTool):output=/dev/null")
    #expect(try capture().hasPrefix(folder.path("liveobjects.")))
  }

  /// In a folder that others can write to it may be theirs. In a container it is that of the last run, which had
  /// the same process id.
  @Test(arguments: ["echo mine >", "ln -s \"$TMPDIR/target\""])
  func existingFileIsKeptAndTheNextNameIsUsed(make: String) throws {
    let run = try run(
      "echo mine > \"$TMPDIR/target\"; \(make) \"$TMPDIR/liveobjects.$$.capture\"; exec '\(exiter)' exit 5")
    #expect(run.status == .exited(5))
    #expect(try folder.text(of: "target") == "mine\n")
    let names = try folder.names().filter { $0.hasSuffix(".capture") }.sorted { $0.count < $1.count }
    try #require(names.count == 2)
    #expect(try folder.text(of: names[0]) == "mine\n")
    #expect(names[1] == names[0].replacingOccurrences(of: ".capture", with: ".2.capture"))
    #expect(
      run.standardError
        == line("cannot run /does/not/exist: No such file or directory", folder.path(names[1])))
  }

  @Test func missingFolderIsReported() throws {
    let run = try run("TMPDIR=/does/not/exist exec '\(exiter)' exit 5")
    #expect(messages(run).count == 1)
    #expect(run.standardError.hasSuffix(".capture: No such file or directory\n"))
    #expect(run.status == .exited(5))
  }

  @Test func captureThatCannotBeWrittenIsReported() throws {
    let run = try run("ulimit -f 1; exec '\(exiter)' exit 5")
    #expect(run.standardError == "LiveObjects: no report: the capture could not be made: File too large\n")
    #expect(run.status == .exited(5))
    #expect(try folder.names() == [])
  }

  @Test func aLimitOfTimersIsReported() throws {
    let run = try run("exec prlimit --sigpending=0 '\(exiter)' exit 5")
    #expect(messages(run).count == 1)
    #expect(run.standardError.contains("no report: the system allows no further timer"))
    #expect(run.status == .exited(5))
  }

  /// A test may compare the standard error of a program that it starts, and no line could name the file.
  @Test(arguments: ["", ":exitcode=9"])
  func programWithItsOwnStandardErrorWritesNoCapture(options: String) throws {
    let run = try run("'\(exiter)' return 2> \"$TMPDIR/errors\"", options: withoutTool + options)
    #expect(run.standardError == "")
    #expect(run.status == .exited(0))
    #expect(try folder.names() == ["errors"])
    #expect(try folder.text(of: "errors") == "")
  }

  @Test func programWithItsOwnStandardErrorKeepsItsCaptureNextToTheOutput() throws {
    _ = try run(
      "'\(exiter)' return 2> \"$TMPDIR/errors\"", options: "\(withoutTool):output=\(folder.path("report"))")
    #expect(try folder.text(of: "errors") == "")
    #expect(try capture().hasPrefix(folder.path("report.")))
  }

  // MARK: - Where nothing is watched

  /// A limit of memory that leaves room for the program, and none for records.
  var unwatched: String { "ulimit -v 500000; exec '\(exiter)' exit 5" }
  let unwatchedLine =
    "LiveObjects: nothing is watched: the limit of this process's memory leaves no room for records "
    + "(see ulimit -v and -d), so nothing is watched\n"

  @Test func toolReportsThatNothingWasWatched() throws {
    let tool = try Script("echo \"$3\"; exit 3")
    let output = folder.path("report")
    let run = try run(unwatched, options: "tool=\(tool.path):format=json:output=\(output)")
    #expect(run.standardError == unwatchedLine)
    #expect(run.status == .exited(5))
    #expect(try folder.text(of: "report") == "--json\n")
  }

  @Test(arguments: ["", ":format=json", ":output=/dev/null"])
  func missingToolIsReportedOnce(options: String) throws {
    let run = try run(unwatched, options: withoutTool + options)
    #expect(run.standardError == unwatchedLine)
    #expect(try folder.names() == [])
  }
}
