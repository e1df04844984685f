/// How often an object was retained and released since it was allocated.
public struct RetainCount: Sendable, Hashable {
  public var retains: UInt64
  public var releases: UInt64

  public init(retains: UInt64, releases: UInt64) {
    self.retains = retains
    self.releases = releases
  }
}
