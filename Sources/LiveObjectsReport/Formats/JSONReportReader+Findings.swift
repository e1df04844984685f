import LiveObjectsAnalysis

extension Finding {
  init(json: JSONObject) throws(JSONError) {
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
    if json["victimTypes"] != nil { victimTypes = try json.strings("victimTypes") }
    if json["otherCycle"] != nil { otherCycle = try json.objects("otherCycle", PathStep.init(json:)) }
    elements = try json.optionalNumber("elements")
    isNamedByTest = try json.flag("namedByTest")
    dependency = try json.optionalString("dependency")
    hint = try json.object("hint", Hint.init(json:))
    acceptance = try json.bool("known") ? Acceptance(name: json.optionalString("acceptedBy")) : nil
  }
}

extension Finding.PathStep {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(type: try json.string("type"), reference: try json.string("reference"))
  }
}

extension Finding.CallSite {
  init(json: JSONObject) throws(JSONError) {
    self.init(
      instances: try json.number("instances"), bytes: try json.optionalNumber("bytes") ?? 0,
      frames: try json.objects("frames", SourceFrame.init(json:)))
    isEstimated = try json.flag("estimated")
    if json["types"] != nil { types = try json.strings("types") }
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
    if json["otherPlaces"] != nil { otherPlaces = try json.objects("otherPlaces", Place.init(json:)) }
  }
}

extension Finding.Hint.Place {
  fileprivate init(json: JSONObject) throws(JSONError) {
    self.init(
      kind: try json.choice("kind"), name: try json.string("name"),
      captured: try json.optionalString("captured"), file: try json.optionalString("file"),
      line: try json.optionalNumber("line"))
  }
}
