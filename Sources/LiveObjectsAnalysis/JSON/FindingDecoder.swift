// Reads what `FindingEncoder` wrote. Keys that are unknown are skipped; what was derived is derived again.

extension Finding {
  /// - Returns: `nil` for bytes that are no finding.
  package init?(encoded bytes: [UInt8]) {
    guard let finding = try? Finding(json: JSONObject(JSONParser.parse(bytes))) else { return nil }
    self = finding
  }

  package init(json: JSONObject) throws(JSONError) {
    self.init(
      fingerprint: try json.fingerprint("fingerprint"), verdict: try json.choice("verdict"),
      certainty: try json.choice("certainty"), isLibraryLeak: try json.bool("libraryLeak"),
      type: try json.string("type"), kind: try json.choice("kind"), instances: try json.number("instances"),
      objects: try json.number("objects"), victims: try json.number("victims"),
      bytes: try json.number("bytes"), test: try json.optionalString("test"),
      testCase: try json.optionalString("case"), path: try json.objects("path", PathStep.init(json:)),
      allocatedAt: try json.objects("allocatedAt", CallSite.init(json:)),
      omittedCallSites: try json.number("omittedCallSites"),
      retainedAt: try json.objects("retainedAt", RetainingCallSite.init(json:)),
      unexplainedRetains: try json.number("unexplainedRetains"), remarks: try json.strings("remarks"))
    victimTypes = try json.optionalObjects("victimsByType", VictimType.init(json:))
    ownBytes = try json.optionalNumber("ownBytes") ?? bytes
    otherCycle = try json.optionalObjects("otherCycle", PathStep.init(json:))
    elements = try json.optionalNumber("elements")
    isNamedByTest = try json.flag("namedByTest")
    dependency = try json.optionalString("dependency")
    hint = try json.object("hint", Hint.init(json:))
    acceptance = try Acceptance(json: json)
  }
}

extension Finding.Acceptance {
  fileprivate init?(json: JSONObject) throws(JSONError) {
    switch try json.optionalString("acceptedBy") {
    case nil: return nil
    case "knownIssue": self = .knownIssue
    case "baseline": self = .baseline
    case "suppression": self = .suppression("")
    default: throw JSONError(expectation: "a value that is known", place: "acceptedBy")
    }
  }
}

extension Finding.VictimType {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(try json.string("type"), try json.number("objects"))
  }
}

extension Finding.PathStep {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(type: try json.string("type"), reference: try json.string("reference"))
  }
}

extension Finding.CallSite {
  package init(json: JSONObject) throws(JSONError) {
    self.init(
      instances: try json.number("instances"), bytes: try json.number("bytes"),
      frames: try json.objects("frames", SourceFrame.init(json:)))
    isEstimated = try json.flag("estimated")
    types = try json.optionalStrings("types")
  }
}

extension Finding.RetainingCallSite {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(
      retains: try json.number("retains"), releases: try json.number("releases"),
      frames: try json.objects("frames", SourceFrame.init(json:)))
  }
}

extension SourceFrame {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(
      function: try json.optionalString("function"), module: try json.string("module"),
      file: try json.optionalString("file"), line: try json.optionalNumber("line"),
      isSystem: try json.flag("system"))
  }
}

extension Finding.Hint {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(try json.choice("action"), at: try json.objects("places", Place.init(json:)))
    // Its text names the first one.
    guard !places.isEmpty else { throw JSONError(expectation: "a place", place: "places") }
    otherPlaces = try json.optionalObjects("otherPlaces", Place.init(json:))
  }
}

extension Finding.Hint.Place {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(
      kind: try json.choice("kind"), name: try json.string("name"),
      captured: try json.optionalString("captured"), file: try json.optionalString("file"),
      line: try json.optionalNumber("line"))
    isConstant = try json.flag("isConstant")
  }
}
