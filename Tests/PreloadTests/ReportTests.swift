import Foundation
import TestSupport
import Testing

/// Contents and outputs of a watched program's report.
struct ReportTests {
  let exiter = BuiltProducts.executable("Exiter")

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
    let tool = try Script("echo report")
    let run = try runPreloaded(
      exiter, ["return"], options: "tool=\(tool.path):output=/dev/null:verbosity=\(verbosity)")
    #expect(messages(run).count == verbosity)
  }
}
