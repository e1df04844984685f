package import LiveObjectsAnalysis
internal import LiveObjectsReport

/// The failure of an assertion.
package struct AssertionFailure: Sendable {
  /// Human-readable text; lines after the first are indented.
  package let text: String
  /// Whether it is about an object that is still alive, not about missing tracking.
  package let concernsObject: Bool
  /// The leak that it names, for the report on the process; `nil` for reachable objects.
  package let leak: Finding?

  private init(_ text: String, concernsObject: Bool, leak: Finding? = nil) {
    self.text = text
    self.concernsObject = concernsObject
    self.leak = leak
  }

  static func object(_ text: String, _ finding: Finding? = nil) -> AssertionFailure {
    AssertionFailure(
      text, concernsObject: true, leak: finding.flatMap { FailOn.leaks.includes($0) ? $0 : nil })
  }

  package static func unwatched(_ text: String) -> AssertionFailure {
    AssertionFailure(text, concernsObject: false)
  }

  /// The text for the test library, with the user's own message on the first line.
  ///
  /// - Parameters:
  ///   - assertion: the name of the assertion.
  ///   - message: empty for none.
  package func text(of assertion: String, _ message: String) -> String {
    guard !message.isEmpty else { return "\(assertion): \(text)" }
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    return "\(assertion): \(text[..<end]) - \(message)\(text[end...])"
  }
}
