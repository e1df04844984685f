import LiveObjectsCapture

/// Turns addresses into functions, files and lines.
public protocol Symbolicator {
  /// - Returns: for every frame asked for, its source frames, innermost (most inlined) first; never empty.
  func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]]

  /// Names variables by their addresses: `static Registry.shared`, `global cache`.
  ///
  /// - Returns: the names of those that are known.
  func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String]
}

extension Symbolicator {
  public func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String] { [:] }
}
