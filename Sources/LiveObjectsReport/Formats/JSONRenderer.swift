import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report as JSON, `schemaVersion` 1.
///
/// Keys keep their meaning and their order from version to version; new ones may be added.
public struct JSONRenderer: Sendable {
  /// The command that made the report: files are relative to its folder.
  private var run = Report.Run()

  public init() {}

  public func render(_ report: Report) -> String {
    String(decoding: bytes(of: report), as: UTF8.self)
  }

  func bytes(of report: Report) -> [UInt8] {
    var renderer = self
    renderer.run = report.run
    return renderer.document(report).bytes
  }

  private func document(_ report: Report) -> JSONValue {
    let causes = report.causes
    let ids = Self.ids(of: causes)
    return .object([
      "schemaVersion": .integer(1),
      "tracking": json(report.tracking, notes: report.notes),
      "processes": .array(report.processes.map(json)),
      "tests": .array(report.concludedTests.lazy.map(json)),
      "findings": .array(report.findings.lazy.map { json($0, cause: ids[Finding.Key($0)]) }),
      "types": .array(report.types.lazy.map(json)),
      "causes": .array(causes.lazy.map(json)),
      "tool": .object(["name": .string("liveobjects"), "version": .string(Report.Run.toolVersion)]),
      "toolchain": .optional(report.run.toolchain),
      "run": report.run.json,
      "summary": report.summary(causes),
      "comparison": report.comparison.map(json) ?? .null,
    ])
  }

  private static func ids(of causes: [Cause]) -> [Finding.Key: String] {
    causes.reduce(into: [:]) { ids, cause in
      let id = cause.id
      for finding in cause.findings { ids[Finding.Key(finding)] = id }
    }
  }

  private func json(_ tracking: Report.Tracking, notes: [String]) -> JSONValue {
    .object([
      "complete": .bool(tracking.isComplete),
      "watched": .bool(tracking.wasWatched),
      "notes": .strings(notes),
      "details": .strings(tracking.details),
      "droppedRecords": .integer(tracking.droppedRecords),
      "references": .bool(tracking.readReferences),
      "unevaluated": .strings(tracking.unevaluated),
      "unwatchedProcesses": .integer(tracking.unwatchedProcesses),
      "listedTests": .bool(tracking.listedTests),
      "missesRoots": .bool(tracking.missesRoots),
      "restriction": tracking.restriction.map { .string($0.rawValue) } ?? .absent,
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
      "file": file(test.file),
      "line": line(test.line),
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
      "namedByTest": finding.isNamedByTest ? .bool(true) : .absent,
      "kind": .string(finding.kind.rawValue),
      "instances": .integer(finding.instances),
      "objects": .integer(finding.objects),
      "victims": .integer(finding.victims),
      "victimTypes": finding.victimTypes.isEmpty ? .absent : .strings(finding.victimTypes),
      "bytes": .integer(finding.bytes),
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
    ])
  }

  private func json(_ hint: Finding.Hint) -> JSONValue {
    .object([
      "action": .string(hint.action.rawValue),
      "text": .string(HintText(hint).text),
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
    .object([
      "instances": .integer(site.instances),
      "frames": .array(site.frames.map(json)),
      "bytes": .integer(site.bytes),
      "estimated": site.isEstimated ? .bool(true) : .absent,
      "types": site.types.isEmpty ? .absent : .array(site.types.map(JSONValue.string)),
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
    ])
  }

  private func file(_ path: String?) -> JSONValue { .optional(path.map(run.relative)) }

  private func line(_ line: Int?) -> JSONValue { line.map(JSONValue.integer) ?? .null }

  private func json(_ type: TypeGrowth) -> JSONValue {
    .object([
      "type": .string(type.type),
      "kind": .string(type.kind.rawValue),
      "live": .integer(type.live),
      "growth": .integer(type.growth),
      "bytes": .integer(type.bytes),
      "growthBytes": .integer(type.growthBytes),
      "pinned": .integer(type.pinned),
      "allocatedAt": .array(type.allocatedAt.map(json)),
      "dependency": .optional(type.dependency),
      "origin": .string(
        !type.isUserDefined ? "library" : type.dependency == nil ? "yours" : "dependency"),
    ])
  }
}
