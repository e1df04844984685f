internal import LiveObjectsAnalysis
internal import LiveObjectsReport

/// Live objects with a common reason.
package struct ExplainedObjects: Sendable {
  /// Module-qualified, one per object.
  var types: [String]
  /// The finding about the objects, or about the leak that holds them.
  var finding: Finding?
  /// The reason why their holders are unknown.
  var evaluationFailure: String?

  /// The failure about the objects, with their holders and call sites.
  ///
  /// - Parameter fate: the text after "is" or "are".
  package func failure(_ fate: String) -> AssertionFailure {
    let text = "\(Self.list(types)) \(types.count == 1 ? "is" : "are") \(fate): \(reason)"
    return evaluationFailure == nil ? .object(text, finding) : .unwatched(text)
  }

  private var reason: String {
    guard let finding else { return unknown }
    let lines = FindingText(finding).lines
    guard let remark = remark(on: finding) else { return lines.joined(separator: "\n") }
    return ([remark] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  /// The relation of the objects to the finding, if it is about others.
  private func remark(on finding: Finding) -> String? {
    if finding.verdict == .growth { return unknown }
    let victims = types.filter { type in finding.type != type && !finding.path.contains { $0.type == type } }
    if victims.isEmpty { return nil }
    let subject = victims.count < types.count ? Self.list(victims) : them
    return "leaked objects hold \(subject)"
  }

  private var unknown: String {
    "\(types.count == 1 ? "its holder is" : "their holders are") unknown"
      + (evaluationFailure.map { ": \($0)" } ?? "")
  }

  private var them: String { types.count == 1 ? "it" : "them" }

  /// `A`, `A and B`, `A (2 ×), B and C`.
  private static func list(_ types: [String]) -> String {
    var counts: [(type: String, count: Int)] = []
    for type in types {
      if let index = counts.firstIndex(where: { $0.type == type }) {
        counts[index].count += 1
      } else {
        counts.append((type, 1))
      }
    }
    let names = counts.map { $0.count == 1 ? $0.type : "\($0.type) (\($0.count) ×)" }
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}
