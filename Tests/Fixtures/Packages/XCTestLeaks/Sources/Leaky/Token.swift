/// An object to hold or to over-retain.
public final class Token: @unchecked Sendable {
  public init() {}

  @inline(never) @_optimize(none)
  public func use() {}
}
