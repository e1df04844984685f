import Foundation
import TestSupport
import Testing

/// Outputs of reports, and errors of writing to them.
struct OutputTests {
  let exiter = BuiltProducts.executable("Exiter")
  let folder: TemporaryFolder
  let tool: Script

  init() throws {
    folder = try TemporaryFolder()
    tool = try Script("echo report")
  }

  @Test func fileOfAnEarlierRunIsReplaced() throws {
    let options = "tool=\(tool.path):output=\(folder.path("report"))"
    _ = try runPreloaded(exiter, ["return"], options: options)
    _ = try runPreloaded(exiter, ["return"], options: options)
    #expect(try folder.text(of: "report") == "report\n")
  }

  @Test func processIdNamesTheFile() throws {
    _ = try runPreloaded(exiter, ["return"], options: "tool=\(tool.path):output='\(folder.path("r:%p-%p"))'")
    let names = try folder.names()
    #expect(names.count == 1)
    #expect(names.first?.wholeMatch(of: /r:([0-9]+)-\1/) != nil)
  }

  @Test func childProcessesAppend() throws {
    let options = "tool=\(tool.path):output=\(folder.path("report"))"
    let run = try runPreloaded(
      "/bin/sh", ["-c", "'\(exiter)' return & '\(exiter)' return & '\(exiter)' _exit 0; wait"],
      options: options)
    #expect(run.status == .exited(0))
    #expect(try folder.text(of: "report") == "report\nreport\nreport\n")
  }

  @Test func orphansAppend() throws {
    try folder.writeScript(
      """
      '\(exiter)' return; '\(exiter)' return
      mkfifo '\(folder.path("done"))'
      ( ( sleep 0.2; '\(exiter)' return; echo > '\(folder.path("done"))' ) & )
      read line < '\(folder.path("done"))'
      """, to: "script")
    let options = "tool=\(tool.path):output=\(folder.path("report"))"
    let run = try runPreloaded("/bin/sh", [folder.path("script")], options: options)
    #expect(run.status == .exited(0))
    #expect(try folder.text(of: "report") == "report\nreport\nreport\n")
  }

  /// A test may compare the standard error of a program that it starts.
  @Test(arguments: [nil, "", "nonsense=1", "output=/does/not/exist", "verbosity=2"])
  func standardErrorOfChildProcessesIsUnchanged(options: String?) throws {
    let errors = folder.path("errors")
    let run = try runPreloaded(
      "/bin/sh", ["-c", "'\(exiter)' exit 5 2> '\(errors)'"], environment: ["LIVEOBJECTS_OPTIONS": options])
    #expect(run.status == .exited(5))
    #expect(run.standardOutput == "about to end\n")
    #expect(run.standardError == "")
    #expect(try folder.text(of: "errors") == "")
  }

  @Test func sharedStandardErrorGetsAllReports() throws {
    let run = try runPreloaded(
      "/bin/sh", ["-c", "'\(exiter)' return; '\(exiter)' exit 5"], options: "tool=\(tool.path)")
    #expect(run.status == .exited(5))
    #expect(run.standardError == "report\nreport\n")
  }

  @Test("two copies of the library make one report")
  func twoCopies() throws {
    let copy = folder.path("libLiveObjectsPreload.so")
    try copyExecutable(BuiltProducts.preloadLibrary, to: copy)
    let run = try runPreloaded(
      exiter, ["exit", "5"], options: "tool=\(tool.path)",
      environment: ["LD_PRELOAD": "\(BuiltProducts.preloadLibrary):\(copy)"])
    #expect(run.status == .exited(5))
    #expect(run.standardError == "report\n")
  }

  @Test func wrongOptionsAreReportedOnce() throws {
    let run = try runPreloaded(
      BuiltProducts.executable("Execer"), [BuiltProducts.executable("Survivors")],
      options: "colour=red:output=/dev/null:tool=\(tool.path)")
    #expect(run.standardError.components(separatedBy: "there is no option 'colour'").count == 2)
  }

  @Test func aTriggerWithoutAnIntervalIsReported() throws {
    let run = try runPreloaded(exiter, ["return"], options: "trigger=2x:output=/dev/null:tool=\(tool.path)")
    #expect(run.status == .exited(0))
    let message = "'trigger' has no effect without 'every', the interval of the counts"
    #expect(messages(run) == ["LiveObjects: \(message)"])
  }

  @Test(arguments: ["/does/not/exist/report", "/dev/full", "/"])
  func outputThatCannotBeWrittenGetsOneLine(output: String) throws {
    let run = try runPreloaded(
      exiter, ["exit", "5"], options: "tool='/bin/echo':output=\(output)")
    #expect(run.status == .exited(5))
    #expect(run.standardOutput == "about to end\n")
    #expect(messages(run).count == 1)
    #expect(run.standardError.hasPrefix("LiveObjects: cannot write the report to \(output): "))
    #expect(run.standardError.contains("output=PATH"))
  }

  @Test func unknownOptionGetsOneLineAndTheProgramRuns() throws {
    let run = try runPreloaded(
      exiter, ["exit", "5"], options: "colour=red:tool=/bin/echo:output=/dev/null")
    #expect(
      run.standardError
        == "LiveObjects: LIVEOBJECTS_OPTIONS: there is no option 'colour'; it is ignored\n")
    #expect(run.standardOutput == "about to end\n")
    #expect(run.status == .exited(5))
  }

  @Test func closedStandardErrorStaysClosed() throws {
    let run = try runPreloaded(
      "/bin/sh", ["-c", "exec '\(exiter)' exit 5 2>&-"], options: withoutTool)
    #expect(run.standardOutput == "about to end\n")
    #expect(run.standardError == "")
    #expect(run.status == .exited(5))
  }

  @Test func closedReaderDoesNotKillTheProgram() throws {
    // Not bash: the first preloaded process decides to which standard error reports are written.
    let preload = "LD_PRELOAD='\(BuiltProducts.preloadLibrary)' LIVEOBJECTS_OPTIONS='tool=\(tool.path)'"
    let run = try runProgram(
      "/bin/bash", ["-c", "{ \(preload) '\(exiter)' exit 5; echo $? >&3; } 2> >(exec true) 3>&1"])
    #expect(run.standardOutput == "about to end\n5\n")
  }
}
