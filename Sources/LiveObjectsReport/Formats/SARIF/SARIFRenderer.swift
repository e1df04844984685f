import LiveObjectsAnalysis

/// Renders the causes of a report as SARIF 2.1.0, one result each
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/). Leaks of libraries are left out, and so are causes without a place in
/// the source: services that show results next to it refuse the file because of them.
struct SARIFRenderer {
  private let report: Report
  private let locations: SARIFLocations

  init(of report: Report) {
    self.report = report
    locations = SARIFLocations(of: report.run)
  }

  var text: String {
    let document: JSONValue = .object([
      "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
      "version": .string("2.1.0"),
      "runs": .array([run]),
    ])
    return document.text
  }

  private var run: JSONValue {
    .object([
      "tool": .object([
        "driver": .object([
          "name": .string("LiveObjects"),
          "semanticVersion": .string(Report.Run.toolVersion),
          "rules": .array(SARIFRules.all),
        ])
      ]),
      "invocations": .array([invocation]),
      "originalUriBaseIds": locations.bases,
      "columnKind": .string("utf16CodeUnits"),
      "results": .array(report.causes.lazy.filter { !$0.sum.isLibraryLeak }.compactMap(result)),
    ])
  }

  private var invocation: JSONValue {
    let command = report.run.command.map(\.printable).joined(separator: " ")
    let isEvaluated = report.tracking.wasWatched && report.tracking.evaluationFailure == nil
    return .object([
      "executionSuccessful": .bool(isEvaluated),
      "commandLine": command.isEmpty ? .absent : .string(command),
      "toolExecutionNotifications": .array(
        report.notes.map { note in
          .object(["message": .sarifMessage(note), "level": .string("note")])
        }),
    ])
  }

  private func result(_ cause: Cause) -> JSONValue? {
    guard let place = locations.place(of: cause, testedAt: report.place(ofTestsOf: cause)) else { return nil }
    return .object([
      "ruleId": .string(cause.sum.verdict.rawValue),
      "ruleIndex": .integer(SARIFRules.index(of: cause.sum.verdict)),
      "level": .string(level(of: cause)),
      "message": .sarifMessage(message(on: cause)),
      "locations": .array([place]),
      "partialFingerprints": .object(["liveObjects/v1": .string(cause.id)]),
      "codeFlows": codeFlows(of: cause.sum),
      "suppressions": suppressions(of: cause.sum),
      "properties": .object([
        "tests": .strings(cause.tests.map(\.description.printable)),
        "outsideOfTests": .bool(cause.hasUnattributed),
        "instances": .integer(cause.instances),
        "objects": .integer(cause.objects),
        "bytes": .integer(cause.bytes),
        "fingerprints": .strings(cause.fingerprints),
      ]),
    ])
  }

  private func level(of cause: Cause) -> String {
    if let failOn = report.run.failOn, cause.fails(failOn) { return "error" }
    return cause.sum.isLeak && !cause.sum.isLibraryLeak ? "warning" : "note"
  }

  /// The finding in a few lines, and the tests.
  private func message(on cause: Cause) -> String {
    let listed = cause.tests.prefix(3).map(\.description.printable)
    let others = cause.tests.count - listed.count
    let tests =
      listed.joined(separator: ", ")
      + (others > 0 ? " and \(Count.of(others, "other test", "other tests"))" : "")
    return FindingText(cause.sum).lines.map { $0.trimmingPrefix("  ") }.joined(separator: "\n")
      + (tests.isEmpty ? "" : "\ntests: \(tests)")
  }

  private func codeFlows(of finding: Finding) -> JSONValue {
    guard !finding.path.isEmpty else { return .absent }
    let steps = finding.path.map { step in
      JSONValue.object(["location": locations.location(of: step, in: finding)])
    }
    return .array([.object(["threadFlows": .array([.object(["locations": .array(steps)])])])])
  }

  private func suppressions(of finding: Finding) -> JSONValue {
    guard let acceptance = finding.acceptance else { return .absent }
    let (kind, reason) =
      switch acceptance {
      case .knownIssue: ("inSource", "The test declares it a known issue.")
      case .baseline: ("external", "The baseline contains it.")
      case .suppression(let text): ("external", "The suppression \(text) matches.")
      }
    return .array([
      .object(["kind": .string(kind), "justification": .string(reason.printable)])
    ])
  }
}

extension JSONValue {
  /// A plain text message. Braces would be placeholders; brackets followed by a parenthesis would be a link.
  static func sarifMessage(_ text: String) -> JSONValue {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    let text = lines.joined(separator: "\n").escaping(["{": "{{", "}": "}}"])
    let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == "(", result.unicodeScalars.last == "]" {
        result.unicodeScalars.removeLast()
        result += "\\]"
      }
      result.unicodeScalars.append(scalar)
    }
    return .object(["text": .string(escaped)])
  }
}
