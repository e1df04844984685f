import LiveObjectsCapture

/// Turns addresses into functions, files and lines.
public protocol Symbolicator {
  /// - Returns: for every frame asked for, its source frames, innermost (most inlined) first; never empty.
  func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]]
}
