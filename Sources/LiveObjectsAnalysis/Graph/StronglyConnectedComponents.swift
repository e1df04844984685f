/// Objects that can all reach one another, by Tarjan's algorithm. Without recursion: a list of a million nodes
/// is as deep as it is long.
struct StronglyConnectedComponents {
  /// The component of each object; -1 for those that do not take part. An object's component has a number that
  /// is not smaller than that of any component it can reach.
  private(set) var component: [Int32]
  /// The objects of all components, one component after the other.
  private var members: [Int] = []
  private var starts: [Int] = [0]

  /// - Parameters:
  ///   - isPart: the objects that take part.
  ///   - follows: the references that count.
  init(in graph: ReferenceGraph, isPart: (Int) -> Bool, follows: (Int) -> Bool) {
    component = [Int32](repeating: -1, count: graph.count)
    var order = [Int32](repeating: 0, count: graph.count)  // 0: not seen yet
    var low = order
    var time: Int32 = 0
    var path: [(object: Int, next: Int)] = []
    var open: [Int] = []
    for start in 0..<graph.count where order[start] == 0 && isPart(start) {
      path.append((start, graph.references(from: start).lowerBound))
      while let (object, next) = path.last {
        let references = graph.references(from: object)
        if next == references.lowerBound {
          time += 1
          order[object] = time
          low[object] = time
          open.append(object)
        }
        if let reference = (next..<references.upperBound).first(where: {
          follows($0) && isPart(graph.target($0))
        }) {
          path[path.count - 1].next = reference + 1
          let target = graph.target(reference)
          if order[target] == 0 {
            path.append((target, graph.references(from: target).lowerBound))
          } else if component[target] < 0 {
            low[object] = min(low[object], order[target])
          }
        } else {
          path.removeLast()
          if let parent = path.last?.object { low[parent] = min(low[parent], low[object]) }
          if low[object] == order[object] { close(object, &open) }
        }
      }
    }
  }

  private mutating func close(_ root: Int, _ open: inout [Int]) {
    let number = Int32(count)
    while let object = open.popLast() {
      component[object] = number
      members.append(object)
      if object == root { break }
    }
    starts.append(members.count)
  }

  var count: Int { starts.count - 1 }

  subscript(number: Int) -> ArraySlice<Int> { members[starts[number]..<starts[number + 1]] }
}
