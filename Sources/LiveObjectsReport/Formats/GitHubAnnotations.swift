import LiveObjectsAnalysis

/// GitHub workflow commands, which show the causes of a report next to the lines of a pull request.
///
/// A cause that fails is an error, another leak a warning.
package enum GitHubAnnotations {
  /// GitHub shows ten errors and ten warnings of a step.
  private static let mostAnnotations = 50

  /// One line for each cause, and one about those that are left out.
  ///
  /// - Parameter workspace: the folder that the service's paths are relative to; `nil` for that of the report.
  package static func text(of report: Report, in workspace: String? = nil) -> String {
    var report = report
    report.run.folder = workspace ?? report.run.folder
    let causes = report.causes
    let failing = causes.filter { cause in report.run.failOn.map(cause.fails) ?? false }
    let others = causes.filter { cause in
      cause.section == .leaks && !(report.run.failOn.map(cause.fails) ?? false)
    }
    let all = failing.map { command("error", $0, report) } + others.map { command("warning", $0, report) }
    let omitted = all.count - mostAnnotations
    let rest =
      omitted > 0 ? [notice(Count.of(omitted, "more cause", "more causes") + ": see the report")] : []
    return (all.prefix(mostAnnotations) + rest).map { $0 + "\n" }.joined()
  }

  private static func command(_ name: String, _ cause: Cause, _ report: Report) -> String {
    let place = cause.place(in: report.run).map { "file=\(property($0.file)),line=\($0.line)," } ?? ""
    return
      "::\(name) \(place)title=\(property("LiveObjects: \(cause.name)".printable.abridged(to: 200)))::\(message(cause))"
  }

  private static func notice(_ text: String) -> String { "::notice title=LiveObjects::\(data(text))" }

  /// Path, remedy, size and tests, a line each.
  private static func message(_ cause: Cause) -> String {
    let path = ShownPath(of: cause.sum).map { [$0.segments.joined(separator: " → ")] } ?? []
    let hint = cause.sum.hint.map { ["fix: \(HintText($0).text)"] } ?? []
    let tests = Count.list(cause.tests.map(\.description), atMost: 1, "test", "tests")
    let lines = path + hint + [cause.sum.size] + (tests.isEmpty ? [] : ["tests: \(tests)"])
    return lines.map(data).joined(separator: "%0A")
  }

  /// Text after the second `::`.
  private static func data(_ text: String) -> String {
    text.printable.abridged(to: 500).escaping(["%": "%25", "\r": "%0D", "\n": "%0A"])
  }

  /// The value of a property, before the second `::`.
  private static func property(_ text: String) -> String {
    text.printable.escaping(["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
  }
}
