import LiveObjectsCapture

/// Names frames by their image alone: for captures without a better symbolicator.
public struct ImageNames: Symbolicator {
  public init() {}

  public func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]] {
    Dictionary(uniqueKeysWithValues: frames.map { ($0, [Self.name($0, of: capture)]) })
  }

  static func name(_ frame: Frame, of capture: Capture) -> SourceFrame {
    guard let index = frame.image, capture.images.indices.contains(index) else {
      return SourceFrame(function: nil, module: "unknown", file: nil, line: nil, isSystem: false)
    }
    let image = capture.images[index]
    return SourceFrame(
      function: nil, module: image.name, file: nil, line: nil, isSystem: image.isSystem)
  }
}
