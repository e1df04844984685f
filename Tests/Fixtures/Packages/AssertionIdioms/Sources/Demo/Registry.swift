/// Registered items are never removed.
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

// Deliberate leaks, which the optimiser must not remove.
@inline(never) @_optimize(none)
public func makeLoaderCycle() { Loader(client: ClientSpy()).load() }

@inline(never) @_optimize(none)
public func makeCoordinatorCycle() { _ = Coordinator() }

@inline(never) @_optimize(none)
public func makeFixedLoader() {
  let loader = Loader(client: ClientSpy())
  loader.loadFixed()
}

final class Owner {
  let item = Item()
  var itself: Owner?
}

/// \returns an item held by an object that holds itself.
@inline(never) @_optimize(none)
public func makeVictim() -> Item {
  let owner = Owner()
  owner.itself = owner
  return owner.item
}

/// Several: a stale pointer to one of them may look like its holder.
@inline(never) @_optimize(none)
public func overRetainSeveral() { for _ in 0..<8 { _ = Unmanaged.passRetained(Item()) } }
