import Foundation
import TestSupport
import Testing

/// What a watched program's report says, and where it goes.
struct ReportTests {
  let exiter = BuiltProducts.executable("Exiter")

  @Test func tableNamesWhatIsLive() throws {
    let run = try runPreloaded(exiter, ["return"], options: withoutTool)
    #expect(run.standardOutput == "about to end\n")
    #expect(run.standardError.contains(/\n +17 +272  Exiter\.Leftover\n/))
  }

  @Test func jsonWithoutToolIsValidAndIncomplete() throws {
    let run = try runPreloaded(exiter, ["return"], options: "\(withoutTool):format=json:output=/dev/stderr")
    let json = run.standardError.split(separator: "\n").filter { !$0.hasPrefix("LiveObjects: ") }
    let report = try JSONDecoder().decode(
      MinimalReport.self, from: Data(json.joined(separator: "\n").utf8))
    #expect(report.schemaVersion == 1)
    #expect(!report.tracking.complete)
    #expect(report.tracking.notes.count == 1)
    #expect(report.findings.isEmpty)
    #expect(report.types.contains(.init(type: "Exiter.Leftover", live: 17, growth: 17, bytes: 272)))
  }

  @Test func toolThatCannotRunIsSaidAndTheTableComesInstead() throws {
    let run = try runPreloaded(exiter, ["exit", "4"], options: withoutTool)
    #expect(messages(run).first == "LiveObjects: cannot run /does/not/exist: No such file or directory")
    #expect(run.standardError.contains("Exiter.Leftover"))
    #expect(run.status == .exited(4))
  }

  @Test func toolThatDiesIsSaidAndTheTableComesInstead() throws {
    let tool = try Script("echo half a report; kill -9 $$")
    let run = try runPreloaded(exiter, ["return"], options: "tool=\(tool.path)")
    #expect(messages(run).first == "LiveObjects: \(tool.path) ended with signal 9")
    #expect(run.standardError.contains("Exiter.Leftover"))
    #expect(!run.standardError.contains("half a report"))
  }

  @Test func toolReadsACaptureAndIsNotWatched() throws {
    let tool = try Script(
      #"echo "$@"; echo "preload=$LD_PRELOAD options=$LIVEOBJECTS_OPTIONS"; head -c 7 "$7""#)
    let run = try runPreloaded(exiter, ["return"], options: "tool=\(tool.path):failon=held")
    #expect(
      run.standardError == """
        report --own-run --text - --fail-on held /proc/self/fd/0
        preload= options=
        LiveObj
        """)
  }

  @Test func captureIsWrittenWithoutTheTool() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("capture")
    let run = try runPreloaded(
      exiter, ["return"], options: "\(withoutTool):format=capture:output=\(output)")
    #expect(run.standardError == "")
    #expect(try folder.bytes(of: "capture").starts(with: Array("LiveObj\0".utf8)))
  }

  @Test(arguments: [0, 1, 2])
  func verbosityAddsLines(verbosity: Int) throws {
    let run = try runPreloaded(
      exiter, ["return"], options: "\(withoutTool):output=/dev/null:verbosity=\(verbosity)")
    let toolLine = 1
    #expect(messages(run).count == verbosity + toolLine)
  }
}
