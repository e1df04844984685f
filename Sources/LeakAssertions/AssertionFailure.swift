package import LiveObjectsAnalysis
internal import LiveObjectsReport

/// Why an assertion does not hold.
package struct AssertionFailure: Sendable {
  /// For people; lines after the first are indented.
  package let text: String
  /// Because of an object that is still alive, not because nothing was watched.
  package let isOfObject: Bool
  /// The leak that it names, for the report on the process; `nil` for what only is alive.
  package let leak: Finding?

  private init(_ text: String, isOfObject: Bool, leak: Finding? = nil) {
    self.text = text
    self.isOfObject = isOfObject
    self.leak = leak
  }

  static func object(_ text: String, _ finding: Finding? = nil) -> AssertionFailure {
    AssertionFailure(text, isOfObject: true, leak: finding.flatMap { FailOn.leaks.includes($0) ? $0 : nil })
  }

  package static func unwatched(_ text: String) -> AssertionFailure {
    AssertionFailure(text, isOfObject: false)
  }

  /// As the test library shows it: the user's own message stands on the first line.
  ///
  /// - Parameters:
  ///   - assertion: which does not hold.
  ///   - message: empty for none.
  package func text(of assertion: String, _ message: String) -> String {
    guard !message.isEmpty else { return "\(assertion): \(text)" }
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    return "\(assertion): \(text[..<end]) - \(message)\(text[end...])"
  }
}
