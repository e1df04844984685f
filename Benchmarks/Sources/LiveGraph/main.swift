// LiveGraph SHAPE COUNT
//
// Leaves COUNT objects behind that hold one another in a way of its own, for the graph to find.

final class Node {
  var next: Node?
  var first: Node?
}

/// One cycle of all objects; each refers to the first as well. Like the others not optimised: the optimiser
/// removes what it can prove unused.
@inline(never) @_optimize(none)
func leaveList(_ count: Int) {
  let first = Node()
  var last = first
  for _ in 1..<count {
    let node = Node()
    node.first = first
    last.next = node
    last = node
  }
  last.next = first
}

final class Folder {
  var children: [Int: Item] = [:]
}
final class Item {
  var parent: Folder?
}

/// Cycles of an object with a dictionary of a hundred others.
@inline(never) @_optimize(none)
func leaveDictionaries(_ count: Int) {
  for _ in 0..<count / 102 {
    let folder = Folder()
    for key in 0..<100 {
      let item = Item()
      item.parent = folder
      folder.children[key] = item
    }
  }
}

final class Screen {
  var handler: (() -> Void)?
  var taps = 0
}

/// Cycles of an object and a closure with a context of its own.
@inline(never) @_optimize(none)
func leaveClosures(_ count: Int) {
  for number in 0..<count / 2 {
    let screen = Screen()
    screen.handler = { screen.taps += number }
  }
}

let count = Int(CommandLine.arguments[2])!
switch CommandLine.arguments[1] {
case "list": leaveList(count)
case "dictionaries": leaveDictionaries(count)
case "closures": leaveClosures(count)
case let shape: fatalError("no such shape: \(shape)")
}
