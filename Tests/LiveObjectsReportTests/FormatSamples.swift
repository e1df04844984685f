import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture

@testable import LiveObjectsReport

/// Reports that every format must be able to show.
enum FormatSamples {
  /// Leaks of many tests.
  static var tests: Report {
    var report = TestedPackage.report()
    report.run = run
    report.tests[0].file = "/src/Tests/LoaderTests.swift"
    report.tests[0].line = 16
    return report
  }

  /// A finding of every verdict, one with a hint, and some that are accepted.
  static var explained: Report {
    var findings = ExplainedFindings.all
    let closure = "closure #1 in Demo.Loader.load(completion:)"
    for index in findings.indices { findings[index].fingerprint = "0123456789abcde\(index)" }
    findings[0].hint = Finding.Hint(
      .captureWeakly,
      at: [.init(kind: .closure, name: closure, captured: "self", file: "/src/Demo/a b#?.swift", line: 24)])
    findings[1].acceptance = .baseline
    findings[2].acceptance = .suppression("leak:Demo.Node")
    findings[3].acceptance = .knownIssue
    var report = ExplainedFindings.report(findings)
    report.run = run
    report.run.failOn = .growth
    return report
  }

  /// All that comes from the program is hostile.
  static var hostile: Report {
    let test = "\(evil).\(evil)/\(evil)"
    let file = "/src/\(evil).swift"
    let frames = [
      SourceFrame.user(evil, module: evil, file: file, line: 1),
      .user("f();g() 7\ninjected;stack 9", module: evil, file: "/../\(evil)", line: .max),
      .user(nil, module: evil, file: nil, line: nil),
    ]
    var finding = Finding(
      fingerprint: "0123456789abcdef", verdict: .retainCycle, type: evil, kind: .classInstance, instances: 1,
      objects: 1,
      bytes: .max, test: test, testCase: evil, path: [.init(type: evil, reference: evil)],
      allocatedAt: [.init(instances: 1, bytes: .max, frames: frames)], remarks: [evil])
    finding.hint = Finding.Hint(
      .captureWeakly, at: [.init(kind: .closure, name: evil, captured: evil, file: file, line: 3)])
    var accepted = finding
    accepted.acceptance = .suppression(evil)
    var builder = CaptureBuilder(
      executable: "/\(evil)", tracking: TrackingStatus(state: .tracking, notes: [evil]))
    builder.test(test, arguments: evil)
    builder.objects(of: builder.type("Demo.\(evil)"))
    var report = makeReport(of: builder)
    report.findings = [finding, accepted]
    report.run = run
    report.run.command = ["liveobjects", evil]
    return report
  }

  /// No test, no finding, nothing watched.
  static var empty: Report {
    var report = Report(of: [])
    report.run.folder = nil
    return report
  }

  /// What has a meaning in one of the formats.
  static let evil =
    "a;b\n;c 1 \u{0}\u{1}\u{1b}[31m\r\t\"'&<b>]]>--><![CDATA[{0}[x](1)\\ %41 \u{7f}\u{85}\u{2028}\u{202e}\u{fffe}\u{ffff}é😀"

  private static var run: Report.Run {
    var run = Report.Run()
    run.command = ["liveobjects", "test", "--filter", "Loader"]
    run.folder = "/src"
    return run
  }
}
