import LiveObjectsCapture

/// Turns addresses into functions, files and lines.
public protocol Symbolicator {
  /// Receives all frames that will be requested, so that it can name them in one go.
  func prepare(_ frames: Set<Frame>, of capture: Capture)

  /// - Returns: for every requested frame, its source frames, innermost (most inlined) first; never empty.
  func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]]

  /// Names variables by their addresses: `static Registry.shared`, `global cache`.
  ///
  /// - Returns: the names of those that are known.
  func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String]
}

extension Symbolicator {
  public func prepare(_ frames: Set<Frame>, of capture: Capture) {}

  public func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String] { [:] }
}
