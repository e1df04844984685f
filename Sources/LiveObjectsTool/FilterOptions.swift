import ArgumentParser
import LiveObjectsAnalysis
import LiveObjectsReport

/// The findings that a report is restricted to.
struct FilterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Report only what tests left behind that match the pattern: * is any text, ^ the start, $ the end. May be given more than once.",
      valueName: "pattern"))
  var test: [String] = []

  @Option(
    help: ArgumentHelp("Report only findings with a matching type, also on their path.", valueName: "pattern")
  )
  var type: [String] = []

  @Option(help: "Report only findings with this verdict.")
  var verdict: [Finding.Verdict] = []

  var filter: ReportFilter { ReportFilter(tests: test, types: type, verdicts: verdict) }
}

extension Finding.Verdict: ExpressibleByArgument {}
