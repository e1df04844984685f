internal import LiveObjectsAnalysis
internal import LiveObjectsReport

/// An object that is still alive, and why.
package struct ExplainedObject: Sendable {
  /// Module-qualified.
  package var type: String
  /// About the object, or about what it hangs off.
  var finding: Finding?
  /// Why nothing is known of its holders.
  var blindness: String?

  /// For people: how it is held, and where it was made.
  package var text: String {
    guard let finding else { return "who holds it is not known" + (blindness.map { ": \($0)" } ?? "") }
    let text = FindingText(finding).description
    if finding.verdict == .growth { return "who holds it is not known\n\(text)" }
    let isItself = finding.type == type || finding.path.contains { $0.type == type }
    return isItself ? text : "it hangs off what leaked\n\(text)"
  }
}
