import LiveObjectsAnalysis

/// The causes of one section as one line: their number and size, and whether they fail.
struct SectionSummary {
  let name: String
  let sentence: String

  /// The sections after the leaks, without those that have no causes.
  static func afterLeaks(_ causes: [Cause], _ failOn: FailOn?) -> [SectionSummary] {
    FindingSection.allCases.filter { $0 != .leaks }.compactMap { section in
      SectionSummary(section, causes.filter { $0.section == section }, failOn)
    }
  }

  private init?(_ section: FindingSection, _ causes: [Cause], _ failOn: FailOn?) {
    guard !causes.isEmpty else { return nil }
    name = section.name
    let bytes = causes.reduce(into: UInt64(0)) { $0.add(saturating: $1.bytes) }
    let objects = Count.of(causes.reduce(0) { $0 + $1.objects }, "object", "objects")
    let description = section.heading.split(separator: ":").last.map(String.init) ?? ""
    sentence =
      "\(Count.of(causes.count, "cause", "causes")), \(objects), \(Count.bytes(bytes)):\(description)"
      + (failOn.map(section.failing) ?? "")
  }
}

extension FindingSection {
  /// The name of a group of findings.
  var name: String {
    switch self {
    case .leaks: "Leaks"
    case .held: "Held"
    case .growth: "Growth"
    case .known: "Known"
    case .libraryLeaks: "Library leaks"
    }
  }

  /// The name of one of its findings.
  var kind: String {
    switch self {
    case .leaks: "Leak"
    case .libraryLeaks: "Library leak"
    default: name
    }
  }
}
