import LiveObjectsAnalysis

extension JSONReport {
  func json(_ comparison: Report.Comparison) -> JSONValue {
    .object([
      "new": .array(comparison.new.lazy.map(json)),
      "gone": .array(comparison.gone.lazy.map(json)),
      "grown": .array(comparison.grown.lazy.map(json)),
      "same": .integer(comparison.same),
      "types": .array(
        comparison.types.lazy.map {
          .object([
            "type": .string($0.type), "kind": .string($0.kind.rawValue), "before": .integer($0.before),
            "after": .integer($0.after),
          ])
        }),
    ])
  }

  private func json(_ change: Report.Comparison.Change) -> JSONValue {
    .object([
      "fingerprint": .string(change.finding.fingerprint),
      "verdict": .string(change.finding.verdict.rawValue),
      "type": .string(change.finding.type),
      "test": .optional(change.finding.test),
      "before": .integer(change.before),
      "after": .integer(change.after),
    ])
  }
}
