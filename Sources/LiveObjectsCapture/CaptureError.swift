/// The reason why bytes could not be read as a capture, and the position.
public struct CaptureError: Error, Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// There are no bytes at all.
    case empty
    /// The bytes do not begin as a capture does.
    case notACapture
    /// A version of the format that this reader does not know.
    case unsupportedVersion(UInt32)
    /// The bytes end before the capture does.
    case cutOff
    /// The bytes contradict the format; the text says what is wrong.
    case damaged(String)
  }

  /// The byte at which reading stopped, counted from the beginning of the file.
  public var offset: Int
  public var reason: Reason

  public init(offset: Int, reason: Reason) {
    self.offset = offset
    self.reason = reason
  }
}

extension CaptureError {
  /// The bytes at `offset` contradict the format.
  static func damage(at offset: Int, _ what: String) -> CaptureError {
    CaptureError(offset: offset, reason: .damaged(what))
  }
}

extension CaptureError: CustomStringConvertible {
  /// The problem, its place, and what to do about it, as one line.
  public var description: String {
    switch reason {
    case .empty:
      "the capture is empty: the process ended before it could write one"
    case .notACapture:
      "not a LiveObjects capture (byte \(offset)): take one with `liveobjects run --capture FILE`"
    case .unsupportedVersion(let version):
      "the capture has format version \(version) (byte \(offset)), this reader supports version 1: "
        + "use the `liveobjects` that came with the library which wrote it"
    case .cutOff:
      "the capture is cut off at byte \(offset): its writer was stopped or the disk was full; take it again"
    case .damaged(let what):
      "the capture is damaged at byte \(offset): \(what); take it again"
    }
  }
}
