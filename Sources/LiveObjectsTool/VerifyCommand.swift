import ArgumentParser
import LiveObjectsAnalysis
import LiveObjectsReport
import LiveObjectsSystem

/// `liveobjects verify FINGERPRINT… [OPTIONS] [ARGUMENTS OF swift test]`
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks whether findings are fixed: builds, and runs the tests that had them.",
    discussion: """
      Takes fingerprints of an earlier JSON report or of the baseline in the package's folder, and the arguments of \
      `swift test`.

        liveobjects test --json leaks.json
        liveobjects verify 4c1cb7d6f4d1e2ab --report leaks.json

      Prints FAIL after the first run in which a test left such a finding behind, a new one that fails, or another \
      one of the same type. Prints PASS after three runs without any: what one run in two leaves behind is missed once \
      in eight times then (--runs). Tests fail only by themselves.

      Exit status: 0 for PASS; 1 for FAIL; 2 if the command was wrong, a fingerprint is not known, or the tests do \
      not build; 3 if a test did not run, failed, or could not be evaluated. --bisect: 128 and 125 instead of 2 and 3, \
      and 125 if the tests do not build. `git bisect run` stops at the one and skips the commit at the other.
      """)

  @Option(help: ArgumentHelp("A JSON report with the findings.", valueName: "file"))
  var report: String?

  @Option(
    help: ArgumentHelp("A line of a baseline. May be given more than once.", valueName: "line"))
  var baselineLine: [String] = []

  @Option(help: ArgumentHelp("The runs without the findings that make a PASS.", valueName: "number"))
  var runs = 3

  @Flag(help: "Exit with the statuses that `git bisect run` expects.")
  var bisect = false

  @Option(
    help: ArgumentHelp(
      "Settings for the test processes, added to LIVEOBJECTS_OPTIONS.", valueName: "key=value:…"))
  var options: String?

  @Option(help: ArgumentHelp("The package's folder, for `swift test` as well.", valueName: "folder"))
  var packagePath: String?

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("Fingerprints, and arguments of `swift test`.", valueName: "arguments"))
  var arguments: [String] = []

  /// The status without an answer.
  private var noAnswer: Int32 { bisect ? 125 : Report.statusOfNothingWatched }

  func run() throws {
    if ["-h", "-help", "--help"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    do {
      throw ExitCode(try verify())
    } catch let failure as ToolFailure where bisect {
      printError(failure.description)
      throw ExitCode(128)
    }
  }

  private func verify() throws(ToolFailure) -> Int32 {
    try LibraryOptions.check(options, under: "verify")
    guard runs > 0 else { throw ToolFailure("--runs: expected a number above 0") }
    let check = try check()
    let library = try PreloadLibrary.find()
    let signals = BlockedSignals()
    defer { signals.restore() }
    for number in 1...runs {
      if let status = try status(ofRun: number, check, preloading: library, signals) { return status }
    }
    StandardStream.output.write("PASS: gone in \(Count.of(runs, "run", "runs"))\n")
    return 0
  }

  private func check() throws(ToolFailure) -> FixCheck {
    let lines = try baselineLines()
    let fingerprints =
      arguments.prefix { $0 != "--" }.filter(\.isFingerprint) + lines.entries.map(\.fingerprint)
    guard !fingerprints.isEmpty else {
      throw ToolFailure("verify needs a fingerprint, 16 digits in a report, or --baseline-line")
    }
    let baseline = try AcceptanceFiles.knownFindings(in: PackageFolder.containing(packagePath ?? "."))
    let reported = try report.map(Self.findings(ofReport:)) ?? []
    do throws(FixCheck.UnknownFingerprint) {
      return try FixCheck(
        of: fingerprints, in: lines.adding(baseline).adding(Baseline(reported.map(Baseline.Entry.init))))
    } catch {
      throw ToolFailure(
        "neither \(report ?? "a --report") nor \(Baseline.defaultFile) has the finding \(error.fingerprint)")
    }
  }

  private func baselineLines() throws(ToolFailure) -> Baseline {
    do {
      return try Baseline(parsing: Array(baselineLine.joined(separator: "\n").utf8))
    } catch {
      throw ToolFailure("--baseline-line: expected \(error.expectation)")
    }
  }

  private static func findings(ofReport path: String) throws(ToolFailure) -> [Finding] {
    let bytes = try InputFile.bytes(of: path)
    do {
      return try JSONReportReader.report(in: bytes).findings
    } catch {
      throw ToolFailure("\(path) is no JSON report: expected \(error.expectation) at \(error.place)")
    }
  }

  /// - Returns: the exit status; `nil` if the findings are gone in this run.
  private func status(
    ofRun number: Int, _ check: FixCheck, preloading library: String, _ signals: BlockedSignals
  ) throws(ToolFailure) -> Int32? {
    let run = try WatchedTestRun(
      swiftTestArguments(for: check, builds: number == 1), options, preloading: library, AcceptanceFiles(),
      failOn: .none, lastFor: nil, signals)
    defer { run.folder.remove() }
    if run.ending.isRequested { return run.ending.shellStatus }
    if run.tests.isEmpty, run.ending.shellStatus != 0 {
      printError("swift test ended with status \(run.ending.shellStatus) before a test ran")
      return bisect ? noAnswer : ExitStatus.usage
    }
    var report = run.tests.completed(run.tests.builder.report())
    report.run.folder = (packagePath ?? ".").resolvingLinks
    return status(for: check.answer(in: report), in: report)
  }

  private func swiftTestArguments(for check: FixCheck, builds: Bool) -> [String] {
    let given = SwiftTest.arguments(arguments.filter { !$0.isFingerprint }, packagePath)
    let filters = given.runsAllTests ? ExplainingTestRun.filters(for: Array(check.tests ?? [])) : []
    return builds ? filters + given : given.skippingBuild(filters)
  }

  private func status(for answer: FixCheck.Answer, in report: Report) -> Int32? {
    switch answer {
    case .gone: return nil
    case .unknown(let reason):
      printError(reason)
      return noAnswer
    case .remains(let findings):
      fail("still there", findings, of: report)
    case .replaced(let findings):
      fail("gone, but new", findings, of: report)
    }
    return 1
  }

  private func fail(_ state: String, _ findings: [Finding], of report: Report) {
    var report = report
    report.findings = findings
    _ = Outputs(listing: [.held, .growth], fallback: OutputFile(.error)).write(report, captures: [[UInt8]]())
    let fingerprints = Set(findings.map(\.fingerprint)).sorted().joined(separator: ", ")
    StandardStream.output.write("FAIL: \(state): \(fingerprints)\n")
  }
}
