/// Two of them can keep each other alive.
public final class Node<Label>: @unchecked Sendable {
  public var other: Node?

  public init() {}

  deinit {}
}

/// The mistake: each keeps the other.
@inline(never) @_optimize(none)
public func makeRetainCycle<Label>(_: Label.Type) {
  let node = Node<Label>()
  node.other = Node()
  node.other?.other = node
}

/// Objects that go when the last reference to them does.
@inline(never) @_optimize(none)
public func makeAndRelease<Label>(_: Label.Type) {
  let node = Node<Label>()
  node.other = Node()
}
