/// A test, or one case of a parameterised test, that a process ran.
public struct TestDescription: Sendable, Hashable {
  public enum Library: UInt32, Sendable {
    case xctest = 1
    case testing
  }
  public enum Outcome: UInt32, Sendable {
    case running = 0
    case passed
    /// Failed for a reason of its own.
    case failed
    case skipped
    /// Failed because of what it left behind, by an assertion of this package.
    case leaked
  }
  public var library: Library
  public var outcome: Outcome
  /// The scope of its objects; 0 if it owns all objects allocated while it ran.
  public var scope: UInt32
  /// The id in the spelling of `swift test list`.
  public var id: String
  /// The arguments of a parameterised case; empty for other tests.
  public var arguments: String
  /// The file of its declaration; empty if unknown.
  public var file: String
  public var line: UInt32
  /// The sequence numbers of the objects allocated while it ran.
  public var sequenceNumbers: Range<UInt64>
  /// All that it left behind was evaluated when it ended.
  public var isEvaluated = false

  public init(
    library: Library, outcome: Outcome = .passed, scope: UInt32 = 0, id: String, arguments: String = "",
    file: String = "", line: UInt32 = 0, sequenceNumbers: Range<UInt64>
  ) {
    self.library = library
    self.outcome = outcome
    self.scope = scope
    self.id = id
    self.arguments = arguments
    self.file = file
    self.line = line
    self.sequenceNumbers = sequenceNumbers
  }
}
