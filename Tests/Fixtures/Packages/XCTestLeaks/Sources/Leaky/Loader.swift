/// After `observe()` it holds a handler that holds the loader.
public final class Loader: @unchecked Sendable {
  public var handler: (() -> Void)?

  public init() {}

  @inline(never) @_optimize(none)
  public func observe() { handler = { self.reload() } }

  @inline(never) @_optimize(none)
  public func observeWeakly() { handler = { [weak self] in self?.reload() } }

  public func reload() {}
}
