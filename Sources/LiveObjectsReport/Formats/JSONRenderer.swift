import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report as JSON, `schemaVersion` 1.
///
/// Keys keep their meaning and their order from version to version; new ones may be added.
public struct JSONRenderer: Sendable {
  public init() {}

  public func render(_ report: Report) -> String {
    let causes = report.causes
    let ids = Self.ids(of: causes)
    let document: JSONValue = .object([
      "schemaVersion": .integer(1),
      "tracking": json(report.tracking, notes: report.notes),
      "processes": .array(report.processes.map(json)),
      "tests": .array(report.tests.lazy.map(json)),
      "findings": .array(report.findings.lazy.map { json($0, cause: ids[Finding.Key($0)]) }),
      "types": .array(report.types.lazy.map(json)),
      "causes": .array(causes.lazy.map(json)),
      "comparison": report.comparison.map(json) ?? .null,
    ])
    return document.text
  }

  private static func ids(of causes: [Cause]) -> [Finding.Key: String] {
    causes.reduce(into: [:]) { ids, cause in
      for finding in cause.findings { ids[Finding.Key(finding)] = cause.id }
    }
  }

  private func json(_ tracking: Report.Tracking, notes: [String]) -> JSONValue {
    .object([
      "complete": .bool(tracking.isComplete),
      "watched": .bool(tracking.wasWatched),
      "notes": .strings(notes),
      "droppedRecords": .integer(tracking.droppedRecords),
      "references": .bool(tracking.readReferences),
      "unevaluated": .strings(tracking.unevaluated),
      "unwatchedProcesses": .integer(tracking.unwatchedProcesses),
      "listedTests": .bool(tracking.listedTests),
    ])
  }

  private func json(_ process: ProcessDescription) -> JSONValue {
    .object(["id": .integer(process.id), "executable": .string(process.executable)])
  }

  private func json(_ test: Report.Test) -> JSONValue {
    .object([
      "id": .string(test.id),
      "case": .optional(test.testCase),
      "library": .string(test.library == .xctest ? "XCTest" : "Testing"),
      "outcome": .string("\(test.outcome)"),
      "evaluated": .bool(test.evaluation == .complete),
      "findings": .strings(test.findings),
    ])
  }

  private func json(_ finding: Finding, cause: String?) -> JSONValue {
    .object([
      "fingerprint": .string(finding.fingerprint),
      "verdict": .string(finding.verdict.rawValue),
      "certainty": .string(finding.certainty.rawValue),
      "libraryLeak": .bool(finding.isLibraryLeak),
      "known": .bool(finding.acceptance != nil),
      "type": .string(finding.type),
      "kind": .string(finding.kind.rawValue),
      "instances": .integer(finding.instances),
      "objects": .integer(finding.objects),
      "victims": .integer(finding.victims),
      "bytes": .integer(finding.bytes),
      "elements": finding.elements.map(JSONValue.integer) ?? .null,
      "test": .optional(finding.test),
      "case": .optional(finding.testCase),
      "path": .array(finding.path.map(json)),
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
    ])
  }

  private func json(_ hint: Finding.Hint) -> JSONValue {
    .object([
      "action": .string(hint.action.rawValue),
      "text": .string(HintText(hint).text),
      "places": .array(hint.places.map(json)),
    ])
  }

  private func json(_ place: Finding.Hint.Place) -> JSONValue {
    .object([
      "kind": .string(place.kind.rawValue),
      "name": .string(place.name),
      "captured": .optional(place.captured),
      "file": .optional(place.file),
      "line": place.line.map(JSONValue.integer) ?? .null,
    ])
  }

  private func json(_ cause: Cause) -> JSONValue {
    .object([
      "id": .string(cause.id),
      "verdict": .string(cause.sum.verdict.rawValue),
      "libraryLeak": .bool(cause.sum.isLibraryLeak),
      "known": .bool(cause.sum.acceptance != nil),
      "dependency": .optional(cause.dependency),
      "type": .string(cause.sum.type),
      "path": .array(cause.sum.path.map(json)),
      "tests": .array(
        cause.tests.map { .object(["id": .string($0.id), "case": .optional($0.testCase)]) }),
      "outsideOfTests": .bool(cause.hasUnattributed),
      "findings": .strings(cause.fingerprints),
      "instances": .integer(cause.instances),
      "objects": .integer(cause.objects),
      "victims": .integer(cause.victims),
      "bytes": .integer(cause.bytes),
      "hint": cause.sum.hint.map(json) ?? .null,
    ])
  }

  private func json(_ step: Finding.PathStep) -> JSONValue {
    .object(["type": .string(step.type), "reference": .string(step.reference)])
  }

  private func json(_ site: Finding.CallSite) -> JSONValue {
    .object(["instances": .integer(site.instances), "frames": .array(site.frames.map(json))])
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
      "function": .optional(frame.function),
      "module": .string(frame.module),
      "file": .optional(frame.file),
      "line": frame.line.map(JSONValue.integer) ?? .null,
      "system": .bool(frame.isSystem),
      "unloadedLibrary": .optional(frame.unloadedLibrary),
    ])
  }

  private func json(_ type: TypeGrowth) -> JSONValue {
    .object([
      "type": .string(type.type),
      "kind": .string(type.kind.rawValue),
      "live": .integer(type.live),
      "growth": .integer(type.growth),
      "bytes": .integer(type.bytes),
      "growthBytes": .integer(type.growthBytes),
      "pinned": .integer(type.pinned),
      "dependency": .optional(type.dependency),
      "origin": .string(
        !type.isUserDefined ? "library" : type.dependency == nil ? "yours" : "dependency"),
    ])
  }
}
