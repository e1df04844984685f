/// Retains and releases of one object by one call.
public struct RetainSite: Sendable, Hashable {
  /// Index into `Capture.objects`.
  public var object: UInt32
  /// A key of `Capture.stackTraces`; 0 for those that found no room in the ledger.
  public var stackTrace: UInt32
  public var retains: UInt32
  public var releases: UInt32

  public init(object: UInt32, stackTrace: UInt32, retains: UInt32, releases: UInt32) {
    self.object = object
    self.stackTrace = stackTrace
    self.retains = retains
    self.releases = releases
  }
}

extension RetainSite {
  static let recordSize = 16

  /// A site as it stands in a capture.
  ///
  /// - Precondition: `recordSize` bytes from `offset` on lie in `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    object = bytes.littleEndian(UInt32.self, at: offset)
    stackTrace = bytes.littleEndian(UInt32.self, at: offset + 4)
    retains = bytes.littleEndian(UInt32.self, at: offset + 8)
    releases = bytes.littleEndian(UInt32.self, at: offset + 12)
  }
}
