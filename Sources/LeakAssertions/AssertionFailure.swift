/// Why an assertion does not hold.
package struct AssertionFailure: Sendable {
  /// For people; lines after the first are indented.
  package let text: String
  /// Because of an object that is still alive, not because nothing was watched.
  package let isOfObject: Bool

  static func object(_ text: String) -> AssertionFailure {
    AssertionFailure(text: text, isOfObject: true)
  }

  static func unwatched(_ text: String) -> AssertionFailure {
    AssertionFailure(text: text, isOfObject: false)
  }
}
