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
public func makeCoordinatorCycle() { _ = Coordinator() }

@inline(never) @_optimize(none)
public func makeMendedLoader() {
  let loader = Loader(client: ClientSpy())
  loader.loadMended()
}

final class Owner {
  let item = Item()
  var itself: Owner?
}

/// An item that an object keeps which keeps itself.
@inline(never) @_optimize(none)
public func makeVictim() -> Item {
  let owner = Owner()
  owner.itself = owner
  return owner.item
}

@inline(never) @_optimize(none)
public func overRetain() { _ = Unmanaged.passRetained(Item()) }

/// Several: a word that nobody uses any more may have the address of one of them and look like its holder.
@inline(never) @_optimize(none)
public func overRetainSeveral() { for _ in 0..<8 { _ = Unmanaged.passRetained(Item()) } }
