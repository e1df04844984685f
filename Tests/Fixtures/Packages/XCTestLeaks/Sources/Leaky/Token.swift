/// Something to be kept, or retained once too often.
public final class Token: @unchecked Sendable {
  public init() {}

  @inline(never) @_optimize(none)
  public func use() {}
}
