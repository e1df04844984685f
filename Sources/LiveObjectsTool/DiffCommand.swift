import ArgumentParser
import LiveObjectsReport

/// `liveobjects diff A B`
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares two captures or JSON reports: which findings are new, gone and grown.",
    discussion: """
      Findings are the same if fingerprint and test are. Text goes to standard output; every other format has the \
      new and grown findings of the second file.

      Exit status: 2 for usage errors; else 3 where leaks of the second file could not be evaluated; else 1 where new or \
      grown findings fail (--fail-on); else 0.
      """)

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

  @Argument(help: ArgumentHelp("The earlier capture or JSON report.", valueName: "before"))
  var before: String

  @Argument(help: ArgumentHelp("The later capture or JSON report.", valueName: "after"))
  var after: String

  func run() throws {
    let accepted = try acceptance.open(in: PackageFolder.containing("."))
    var earlier = ReportInputs(keepsCaptures: false)
    try earlier.add([before])
    // What cannot be read of the first file would be new in the second one.
    if let failure = earlier.failures.first { throw ToolFailure(failure) }
    let first = try earlier.report(output)
    var later = ReportInputs(keepsCaptures: output.capture != nil)
    try later.add([after])
    var report = try later.report(output)
    let outputs = try output.open(defaultText: .output)
    if let reason = later.reasonIfUnwatched(report) { report.tracking.add(reason) }
    let isApplied = accepted.apply(to: &report, ranAllTests: false)
    report.compare(with: first)
    let status = later.write(report, to: outputs)
    throw ExitCode(isApplied ? status : ExitStatus.usage)
  }
}
