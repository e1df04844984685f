/// What is registered is never forgotten.
public final class Registry: @unchecked Sendable {
  public static let shared = Registry()
  public var items: [Item] = []
}

public final class Item {
  public init() {}
}

public struct DemoError: Error, Equatable {
  public init() {}
}

/// Planted leaks, which the optimiser must not see through.
@inline(never) @_optimize(none)
public func makeLoaderCycle() { Loader(client: ClientSpy()).load() }

@inline(never) @_optimize(none)
public func makeMendedLoader() { Loader(client: ClientSpy()).loadMended() }

@inline(never) @_optimize(none)
public func overRetain() { _ = Unmanaged.passRetained(Item()) }
