import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report as JSON, `schemaVersion` 1.
///
/// Keys keep their meaning and their order from version to version; new ones may be added.
public struct JSONRenderer: Sendable {
  public init() {}

  public func render(_ report: Report) -> String {
    String(decoding: bytes(of: report), as: UTF8.self)
  }

  func bytes(of report: Report) -> [UInt8] { JSONReport(report, report.causes).document.bytes }
}

/// A report as a JSON document: a file, or a part of a page.
struct JSONReport {
  private let report: Report
  private let causes: [Cause]
  /// Files are relative to the folder of the command that made the report.
  private let findings: FindingEncoder

  /// - Parameter causes: those of the report.
  init(_ report: Report, _ causes: [Cause]) {
    (self.report, self.causes) = (report, causes)
    findings = FindingEncoder(path: report.run.relative, sentence: { HintText($0).text })
  }

  var document: JSONValue {
    let ids = Self.ids(of: causes)
    return .object([
      "schemaVersion": .integer(1),
      "tracking": json(report.tracking, notes: report.notes),
      "processes": .array(report.processes.map(json)),
      "tests": .array(report.concludedTests.lazy.map(json)),
      "findings": .array(
        report.findings.lazy.map { findings.json($0, cause: ids[Finding.Key($0)], shown: shown($0)) }),
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
    .object([
      "id": .integer(process.id), "executable": .string(process.executable),
      "memory": process.memory?.json ?? .absent,
    ])
  }

  private func json(_ test: Report.Test) -> JSONValue {
    .object([
      "id": .string(test.id),
      "case": .optional(test.testCase),
      "library": .string(test.library.jsonName),
      "outcome": .string(test.outcome.jsonName),
      "evaluated": .bool(test.evaluation == .complete),
      "findings": .strings(test.findings),
      "file": findings.file(test.file),
      "line": findings.line(test.line),
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
      "path": .array(cause.sum.path.map(findings.json)),
      "tests": .array(
        cause.tests.map { .object(["id": .string($0.id), "case": .optional($0.testCase)]) }),
      "outsideOfTests": .bool(cause.hasUnattributed),
      "findings": .strings(cause.fingerprints),
      "instances": .integer(cause.instances),
      "objects": .integer(cause.objects),
      "victims": .integer(cause.victims),
      "bytes": .integer(cause.bytes),
      "hint": cause.sum.hint.map(findings.json) ?? .null,
      "fails": .bool(report.run.failOn.map(cause.fails) ?? false),
      "shown": .object(["section": .string(cause.section.rawValue), "title": .string(cause.name)]),
    ])
  }

  /// What a reader of the text sees of a finding.
  private func shown(_ finding: Finding) -> JSONValue {
    .object([
      "section": .string(FindingSection(of: finding).rawValue), "title": .string(finding.title),
      "path": ShownPath(of: finding).map { .string($0.segments.joined(separator: " → ")) } ?? .absent,
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
      "allocatedAt": .array(type.allocatedAt.map(findings.json)),
      "dependency": .optional(type.dependency),
      "origin": .string(
        !type.isUserDefined ? "library" : type.dependency == nil ? "yours" : "dependency"),
    ])
  }
}

extension TestDescription.Library {
  var jsonName: String { self == .xctest ? "XCTest" : "Testing" }
}

extension TestDescription.Outcome {
  var jsonName: String { "\(self)" }
}
