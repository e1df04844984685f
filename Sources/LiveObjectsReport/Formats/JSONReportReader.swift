import LiveObjectsAnalysis
import LiveObjectsCapture

/// Reads what `JSONRenderer` wrote. Keys that are unknown are skipped; what was derived is derived again.
package enum JSONReportReader {
  /// - Throws: the first thing that no report has.
  package static func report(in bytes: [UInt8]) throws(JSONError) -> Report {
    let document = try JSONObject(JSONParser.parse(bytes))
    guard try document.number("schemaVersion") as Int == 1 else {
      throw JSONError(expectation: "1", place: "schemaVersion")
    }
    var report = Report(of: [])
    report.tracking = try tracking(document)
    report.processes = try document.objects("processes", ProcessDescription.init(json:))
    report.findings = try document.objects("findings", Finding.init(json:))
    report.tests = try document.objects("tests") { test throws(JSONError) in
      try Report.Test(json: test, of: report.tracking)
    }
    report.types = try document.objects("types", TypeGrowth.init(json:))
    return report
  }

  private static func tracking(_ document: JSONObject) throws(JSONError) -> Report.Tracking {
    guard let tracking = try document.object("tracking", Report.Tracking.init(json:)) else {
      throw JSONError(expectation: "an object", place: "tracking")
    }
    return tracking
  }
}

extension Report.Tracking {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(
      isComplete: try json.bool("complete"), wasWatched: try json.bool("watched"),
      unwatchedProcesses: try json.number("unwatchedProcesses"), notes: try json.strings("notes"),
      details: try json.strings("details"),
      droppedRecords: try json.number("droppedRecords"), readReferences: try json.bool("references"),
      missesRoots: try json.flag("missesRoots"), unevaluated: try json.strings("unevaluated"),
      listedTests: try json.bool("listedTests"),
      restriction: try json["restriction"].map { _ throws(JSONError) in try json.choice("restriction") })
  }
}

extension ProcessDescription {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(id: try json.number("id"), executable: try json.string("executable"))
  }
}

extension Report.Test {
  fileprivate init(json: JSONObject, of tracking: Report.Tracking) throws(JSONError) {
    self.init(
      id: try json.string("id"), testCase: try json.optionalString("case"),
      library: try json.choice("library", named: \.jsonName),
      outcome: try json.choice("outcome", named: \.jsonName),
      evaluation: .complete, findings: try json.strings("findings"))
    (file, line) = (try json.optionalString("file"), try json.optionalNumber("line"))
    guard try !json.bool("evaluated") else { return }
    // A report does not say why a test was not evaluated. Without a request, references are not read.
    let requestedReferences = tracking.readReferences || !tracking.unevaluated.isEmpty
    evaluation = self.outcome.isAccountable && requestedReferences ? .impossible : .notWanted
  }
}

extension TypeGrowth {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(
      type: try json.string("type"), kind: try json.choice("kind"),
      isUserDefined: try json.string("origin") != "library", live: try json.number("live"),
      growth: try json.number("growth"), bytes: try json.number("bytes"),
      growthBytes: try json.number("growthBytes"), pinned: try json.number("pinned"))
    dependency = try json.optionalString("dependency")
    allocatedAt = try json.objects("allocatedAt", Finding.CallSite.init(json:))
  }
}
