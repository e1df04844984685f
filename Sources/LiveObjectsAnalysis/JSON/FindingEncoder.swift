/// Writes findings as JSON: the one form that reports, their pages and the journal of a test process have.
///
/// Keys keep their meaning and their order from version to version; new ones may be added.
package struct FindingEncoder {
  /// The path of a source file as it is written: relative to a folder, for example.
  private let path: (String) -> String
  /// The sentence of a hint; `nil` leaves it out.
  private let sentence: (Finding.Hint) -> String?

  package init(
    path: @escaping (String) -> String = { $0 }, sentence: @escaping (Finding.Hint) -> String? = { _ in nil }
  ) {
    (self.path, self.sentence) = (path, sentence)
  }

  /// - Parameters:
  ///   - cause: the id of its cause in a report.
  ///   - shown: what a report shows of it.
  package func json(_ finding: Finding, cause: String? = nil, shown: JSONValue = .absent) -> JSONValue {
    .object([
      "fingerprint": .string(finding.fingerprint),
      "verdict": .string(finding.verdict.rawValue),
      "certainty": .string(finding.certainty.rawValue),
      "libraryLeak": .bool(finding.isLibraryLeak),
      "known": .bool(finding.acceptance != nil),
      "type": .string(finding.type),
      "namedByTest": finding.isNamedByTest ? .bool(true) : .absent,
      "kind": .string(finding.kind.rawValue),
      "instances": .integer(finding.instances),
      "objects": .integer(finding.objects),
      "victims": .integer(finding.victims),
      "victimTypes": finding.victimTypes.isEmpty ? .absent : .strings(finding.victimTypes.map(\.type)),
      "victimsByType": finding.victimTypes.isEmpty ? .absent : .array(finding.victimTypes.map(json)),
      "bytes": .integer(finding.bytes),
      "ownBytes": .integer(finding.ownBytes),
      "elements": finding.elements.map(JSONValue.integer) ?? .null,
      "test": .optional(finding.test),
      "case": .optional(finding.testCase),
      "path": .array(finding.path.map(json)),
      "otherCycle": finding.otherCycle.isEmpty ? .absent : .array(finding.otherCycle.map(json)),
      "allocatedAt": .array(finding.allocatedAt.map(json)),
      "omittedCallSites": .integer(finding.omittedCallSites),
      "retainedAt": .array(finding.retainedAt.map(json)),
      "unexplainedRetains": .integer(finding.unexplainedRetains),
      "remarks": .strings(finding.remarks),
      "hint": finding.hint.map(json) ?? .null,
      "cause": .optional(cause),
      "origin": .string(
        finding.isLibraryLeak ? "library" : finding.dependency == nil ? "yours" : "dependency"),
      "dependency": .optional(finding.dependency),
      "acceptedBy": .optional(finding.acceptance?.name),
      "baseline": .bool(finding.acceptance == .baseline),
      "shown": shown,
    ])
  }

  package func json(_ hint: Finding.Hint) -> JSONValue {
    .object([
      "action": .string(hint.action.rawValue),
      "text": sentence(hint).map(JSONValue.string) ?? .absent,
      "places": .array(hint.places.map(json)),
      "otherPlaces": hint.otherPlaces.isEmpty ? .absent : .array(hint.otherPlaces.map(json)),
    ])
  }

  private func json(_ place: Finding.Hint.Place) -> JSONValue {
    .object([
      "kind": .string(place.kind.rawValue),
      "name": .string(place.name),
      "captured": .optional(place.captured),
      "file": file(place.file),
      "line": line(place.line),
      "isConstant": place.isConstant ? .bool(true) : .absent,
    ])
  }

  package func json(_ step: Finding.PathStep) -> JSONValue {
    .object(["type": .string(step.type), "reference": .string(step.reference)])
  }

  private func json(_ type: Finding.VictimType) -> JSONValue {
    .object(["type": .string(type.type), "objects": .integer(type.objects)])
  }

  package func json(_ site: Finding.CallSite) -> JSONValue {
    .object([
      "instances": .integer(site.instances),
      "frames": .array(site.frames.map(json)),
      "bytes": .integer(site.bytes),
      "estimated": site.isEstimated ? .bool(true) : .absent,
      "types": site.types.isEmpty ? .absent : .strings(site.types),
    ])
  }

  private func json(_ site: Finding.RetainingCallSite) -> JSONValue {
    .object([
      "retains": .integer(site.retains),
      "releases": .integer(site.releases),
      "frames": .array(site.frames.map(json)),
    ])
  }

  private func json(_ frame: SourceFrame) -> JSONValue {
    .object([
      "function": .optional(frame.function), "module": .string(frame.module), "file": file(frame.file),
      "line": line(frame.line), "system": frame.isSystem ? .bool(true) : .absent,
      "own": frame.isUserCode && !frame.isCompilerGenerated ? .bool(true) : .absent,
    ])
  }

  package func file(_ path: String?) -> JSONValue { .optional(path.map(self.path)) }

  package func line(_ line: Int?) -> JSONValue { line.map(JSONValue.integer) ?? .null }
}

extension Finding {
  /// The finding as a test's record has it: with its names, and without its objects.
  package var encoded: [UInt8] { FindingEncoder().json(self).compactBytes }
}

extension Finding.Acceptance {
  /// The name in JSON.
  fileprivate var name: String {
    switch self {
    case .knownIssue: "knownIssue"
    case .baseline: "baseline"
    case .suppression: "suppression"
    }
  }
}
