// Allocation and nothing else: 40 times a tree of 131,071 nodes, built and dropped. Each node is allocated
// under a call stack of its own depth, so that stack traces are as different as they get.

final class Node {
  let left: Node?
  let right: Node?

  init(left: Node?, right: Node?) {
    self.left = left
    self.right = right
  }

  var count: Int { 1 + (left?.count ?? 0) + (right?.count ?? 0) }
}

func makeTree(depth: Int) -> Node {
  guard depth > 0 else { return Node(left: nil, right: nil) }
  return Node(left: makeTree(depth: depth - 1), right: makeTree(depth: depth - 1))
}

var nodes = 0
for _ in 0..<40 {
  nodes += makeTree(depth: 16).count
}
print(nodes)
