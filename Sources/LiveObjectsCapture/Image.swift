/// An executable or library that is or was mapped into the process.
public struct Image: Sendable, Hashable {
  public var loadBias: UInt64
  public var addresses: Range<UInt64>
  public var buildID: [UInt8]
  public var path: String
  /// Part of the Swift toolchain or of the system, not of the program.
  public var isSystem: Bool
  /// Whether it was unloaded at the time of the capture; another image may have its addresses.
  public var isUnloaded: Bool

  /// The file name, without its folder.
  public var name: String { path.fileName }

  public init(
    loadBias: UInt64, addresses: Range<UInt64>, buildID: [UInt8] = [], path: String,
    isSystem: Bool = false, isUnloaded: Bool = false
  ) {
    self.loadBias = loadBias
    self.addresses = addresses
    self.buildID = buildID
    self.path = path
    self.isSystem = isSystem
    self.isUnloaded = isUnloaded
  }
}
