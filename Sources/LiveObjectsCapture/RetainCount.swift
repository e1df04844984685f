/// The numbers of retains and releases of an object since its allocation.
public struct RetainCount: Sendable, Hashable {
  public var retains: UInt64
  public var releases: UInt64

  public init(retains: UInt64, releases: UInt64) {
    self.retains = retains
    self.releases = releases
  }
}
