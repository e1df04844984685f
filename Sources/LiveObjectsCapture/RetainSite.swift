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
