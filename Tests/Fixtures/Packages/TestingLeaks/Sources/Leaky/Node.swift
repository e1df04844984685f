/// Two nodes can hold each other.
public final class Node<Label>: @unchecked Sendable {
  public var other: Node?

  public init() {}

  deinit {}
}

/// The mistake: each holds the other.
@inline(never) @_optimize(none)
public func makeRetainCycle<Label>(_: Label.Type) {
  let node = Node<Label>()
  node.other = Node()
  node.other?.other = node
}

/// Allocates objects that are deallocated at once.
@inline(never) @_optimize(none)
public func makeAndRelease<Label>(_: Label.Type) {
  let node = Node<Label>()
  node.other = Node()
}
