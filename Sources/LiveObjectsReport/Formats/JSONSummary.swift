import LiveObjectsAnalysis

// What the JSON report says of the command, and of its result.

extension Report.Run {
  var json: JSONValue {
    .object([
      "command": .strings(command),
      "options": .string(options),
      "failOn": .optional(failOn?.rawValue),
      "folder": .optional(folder),
    ])
  }
}

extension Report {
  /// - Parameter causes: those of the report.
  func summary(_ causes: [Cause]) -> JSONValue {
    .object([
      "fails": .bool(!failingFindings.isEmpty),
      "status": .integer(status),
      "causes": .integer(causes.count),
      "findings": .integer(findings.count),
      "leaks": .integer(causes.count { $0.section == .leaks }),
      "undecided": .integer(causes.count { $0.section == .undecided }),
      "leakingTests": .integer(
        Set(causes.lazy.filter { $0.section == .leaks }.flatMap(\.tests).map(\.id)).count),
      "tests": .integer(Set(tests.lazy.map(\.id)).count),
      "failing": .array(failing),
      "staleBaselineEntries": .strings(accepted.staleEntries),
    ])
  }

  /// The fingerprints of findings that fail, each with the least choice of `--fail-on` that includes it.
  private var failing: [JSONValue] {
    var seen: Set<String> = []
    return failingFindings.filter { seen.insert($0.fingerprint).inserted }.map { finding in
      let reason = FailOn.allCases.first { $0.includes(finding) }
      return .object([
        "fingerprint": .string(finding.fingerprint), "reason": .optional(reason?.rawValue),
      ])
    }
  }
}
