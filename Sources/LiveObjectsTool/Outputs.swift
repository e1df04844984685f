import LiveObjectsReport

/// The open files that a report goes to.
struct Outputs {
  var text: OutputFile?
  var json: OutputFile?
  var capture: OutputFile?
  /// The stream for text without any output option; a report about an unwatched program does not go there.
  var fallback: OutputFile?

  var isEmpty: Bool { text == nil && json == nil && capture == nil && fallback == nil }

  /// Prints why leaks could not be evaluated, if no text does.
  func warnAboutMissingEvaluation(_ report: Report) {
    if fallback == nil, let evaluationFailure = report.tracking.evaluationFailure {
      printError(evaluationFailure)
    }
  }

  /// Leaves no empty files behind where there is no report.
  func discard() {
    for output in [text, json, capture] { output?.discard() }
  }

  /// Writes a report and its captures to all files.
  ///
  /// - Parameter failOn: the findings that the exit status counts.
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
