/// Collections that grew, with their owners: `Growing.swift` of the fixture.
extension ExpectedFinding {
  static let growing: [ExpectedFinding] = [
    .grown(
      "recentStrings", "[Swift.String]", by: ["static SessionStore.shared → ", "SessionStore → recent"],
      elements: 300, objects: 301),
    .grown(
      "stringsByKey", "[Swift.String: [Swift.String]]", by: ["static Tags.shared → ", "Tags → byUser"],
      elements: 30, objects: 151),
    .grown(
      "stringSet", "Swift.Set<Swift.String>", by: ["static Seen.names → "], elements: 50, objects: 51),
    .grown("structEntries", "[LogEntry]", by: ["global logEntries → "], elements: 40, objects: 41),
    .grown(
      "nestedDictionaries", "[Swift.String: [Swift.String: Swift.String]]",
      by: ["static Translations.byLanguage → "], elements: 6, objects: 133),
    .grown(
      "receivedData", "Foundation.Data", by: ["static UploadBuffer.shared → ", "UploadBuffer → received"],
      elements: 4690, objects: 1, in: "plantReceivedData()"),
    .grown(
      "appendedText", "Swift.String", by: ["static Transcript.shared → ", "Transcript → text"],
      elements: nil, objects: 1, in: "plantAppendedText()"),
    .grown(
      "actorJournal", "[Swift.String]", by: ["static Journal.shared → ", "Journal → lines"],
      elements: 25, objects: 26),
    .grown("lazyGlobal", "[Swift.Int: Swift.String]", by: ["global lazyTable → "], elements: 20, objects: 21),
    .grown(
      "keptRecorder", "[Swift.String]", by: ["static Recorders.kept → [0]", "LineRecorder → lines"],
      elements: 15, objects: 16),
    .grown("contiguousStrings", "[Swift.String]", by: ["global packedStrings → "], elements: 15, objects: 16),
    .grown("sliceOfStrings", "[Swift.String]", by: ["global latestStrings → "], elements: 30, objects: 31),
    .grown(
      "genericOwner", "[Swift.String]", by: ["global stringPool → ", "ItemPool<Swift.String> → elements"],
      elements: 15, objects: 16),
    .grown(
      "numbers", "[Swift.Int]", by: ["static Samples.values → "], elements: 1000, objects: 1,
      in: "plantNumbers()"),
    .grown("capturedStrings", "[Swift.String]", by: ["static Commands.undo → "], elements: 15, objects: 16),
    .grown("assignedStrings", "[Swift.String]", by: ["static Palette.names → "], elements: 3, objects: 4),
    .grown(
      "assignedTable", "[Swift.Int: Swift.String]", by: ["static Palette.table → "], elements: 3, objects: 4),
  ]

  /// Whether the program assigned a literal.
  var isAssigned: Bool { scenario.hasPrefix("assigned") }

  /// A collection with all that it consists of.
  private static func grown(
    _ scenario: String, _ type: String, by path: [String], elements: Int?, objects: Int,
    in callSite: String = "longText(_:)"
  ) -> ExpectedFinding {
    ExpectedFinding(
      scenario: scenario, verdict: "heldBy", type: type, path: path, instances: objects, objects: objects,
      elements: elements, callSite: callSite)
  }
}
