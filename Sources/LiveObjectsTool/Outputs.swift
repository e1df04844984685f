import LiveObjectsReport

/// The open files that a report goes to.
struct Outputs {
  var text: OutputFile?
  var json: OutputFile?
  var capture: OutputFile?
  /// Where text goes because nothing was asked for; a report about nothing does not go there.
  var fallback: OutputFile?

  var isEmpty: Bool { text == nil && json == nil && capture == nil && fallback == nil }

  /// Says why the status is not that of a report without leaks, where no text does.
  func sayWhatIsNotEvaluated(_ report: Report) {
    if fallback == nil, let blindness = report.tracking.blindness { printError(blindness) }
  }

  /// Leaves no empty files behind where there is no report.
  func discard() {
    for output in [text, json, capture] { output?.discard() }
  }

  /// Writes a report, and the captures it was made of, to all files.
  ///
  /// - Parameter failOn: which findings the exit status counts.
  func write(
    _ report: Report, failOn: FailOn, captures: some Sequence<[UInt8]>
  ) throws(ToolFailure) {
    let text = self.text ?? (report.tracking.wasWatched ? fallback : nil)
    if let text {
      let renderer = TextRenderer(color: text.wantsColor, failOn: failOn)
      try text.write(Array(renderer.render(report).utf8))
    }
    if let json { try json.write(Array(JSONRenderer().render(report).utf8)) }
    guard let capture else { return }
    for bytes in captures { try capture.write(bytes) }
  }
}
