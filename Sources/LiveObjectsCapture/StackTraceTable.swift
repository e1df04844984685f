/// The stack traces of a capture by id. Traces share their outermost frames.
public struct StackTraceTable: Sendable {
  private var traces: [UInt32: [Frame]] = [:]

  public init() {}

  /// The frames of a trace, innermost first; empty for an unknown id.
  public subscript(id: UInt32) -> [Frame] {
    get { traces[id] ?? [] }
    set { traces[id] = newValue }
  }
}
