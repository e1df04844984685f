internal import LiveObjectsAnalysis
internal import LiveObjectsReport

/// An object that is still alive, and why.
package struct ExplainedObject: Sendable {
  /// Module-qualified.
  var type: String
  /// About the object, or about what it hangs off.
  var finding: Finding?
  /// Why nothing is known of its holders.
  var blindness: String?

  /// Says what became of the object, how it is held, and where it was made.
  package func failure(_ fate: String) -> AssertionFailure {
    .object("\(type) \(fate): \(reason)")
  }

  private var reason: String {
    guard let finding else { return "who holds it is not known" + (blindness.map { ": \($0)" } ?? "") }
    let lines = FindingText(finding).lines
    guard let remark = remark(on: finding) else { return lines.joined(separator: "\n") }
    return ([remark] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  /// What the finding itself does not say of the object.
  private func remark(on finding: Finding) -> String? {
    if finding.verdict == .growth { return "who holds it is not known" }
    let isItself = finding.type == type || finding.path.contains { $0.type == type }
    return isItself ? nil : "it hangs off what leaked"
  }
}
