import LiveObjectsCapture

/// Objects that can all reach one another, by Pearce's form of Tarjan's algorithm ("A space-efficient
/// algorithm for finding strongly connected components", 2016), which needs one number per object. Without
/// recursion: a list of a million nodes is as deep as it is long.
struct StronglyConnectedComponents {
  /// By object: 0 for those that do not take part. While the search is at it, the order of its arrival or of
  /// an object that it leads back to; once its component is closed, a greater number that the component has.
  private var marks: [UInt32]
  /// The objects of all components, one component after the other.
  private var members: [UInt32] = []
  private var starts: [Int] = [0]
  /// By component: whether another one refers to it.
  private(set) var isHeld: [Bool] = []

  init(in graph: ReferenceGraph, isPart: (Int) -> Bool, follows: (Int) -> Bool) {
    marks = [UInt32](repeating: 0, count: graph.count)
    members.reserveCapacity(graph.count)
    var stacks = Stacks(count: graph.count)
    defer { stacks.free() }
    var arrivals: UInt32 = 0
    for start in 0..<graph.count where marks[start] == 0 && isPart(start) {
      arrive(at: start, in: graph, &arrivals, &stacks)
      while let (object, next) = stacks.top {
        let end = graph.references(from: object).upperBound
        guard
          let reference = (next..<end).first(where: { follows($0) && isPart(graph.target($0)) })
        else {
          leave(object, &arrivals, &stacks)
          continue
        }
        let target = graph.target(reference)
        if marks[target] == 0 {
          stacks.setNext(reference)  // examined again after the target
          arrive(at: target, in: graph, &arrivals, &stacks)
        } else {
          stacks.setNext(reference + 1)
          if let closed = component(of: target), closed < count {
            isHeld[closed] = true
          } else if marks[target] < marks[object] {
            marks[object] = marks[target]
            stacks.topLeadsBack()
          }
        }
      }
    }
  }

  private mutating func arrive(
    at object: Int, in graph: ReferenceGraph, _ arrivals: inout UInt32, _ stacks: inout Stacks
  ) {
    arrivals += 1
    marks[object] = arrivals
    stacks.push(object, next: graph.references(from: object).lowerBound)
  }

  /// All references of the object have been followed.
  private mutating func leave(_ object: Int, _ arrivals: inout UInt32, _ stacks: inout Stacks) {
    if stacks.pop() {
      stacks.keepOpen(object)
      return
    }
    let first = marks[object]
    let number = UInt32.max - UInt32(count)
    while let open = stacks.lastOpen, marks[open] >= first {
      stacks.closeLast()
      close(open, number, &arrivals)
    }
    close(object, number, &arrivals)
    starts.append(members.count)
    isHeld.append(false)
  }

  private mutating func close(_ object: Int, _ number: UInt32, _ arrivals: inout UInt32) {
    marks[object] = number
    members.append(UInt32(object))
    arrivals -= 1
  }

  var count: Int { starts.count - 1 }

  /// The component of an object; `nil` for those that do not take part. It has a number that is not smaller
  /// than that of any component it can reach.
  func component(of object: Int) -> Int? { marks[object] == 0 ? nil : Int(UInt32.max - marks[object]) }

  subscript(number: Int) -> ArraySlice<UInt32> { members[starts[number]..<starts[number + 1]] }
}

/// The path from the start to the present object, with the next reference of each, and the objects whose
/// component is still open. An object is in one of the two at most, so that they grow towards each other in
/// the same memory.
private struct Stacks {
  private let words: UnsafeMutableBufferPointer<UInt32>
  private var depth = 0
  private var open: Int

  private static let leadsBack: UInt32 = 1 << 31

  init(count: Int) {
    words = .allocate(capacity: 2 * count)
    open = words.count
  }

  func free() { words.deallocate() }

  var top: (object: Int, next: Int)? {
    depth == 0 ? nil : (Int(words[depth - 2] & ~Self.leadsBack), Int(words[depth - 1]))
  }

  mutating func push(_ object: Int, next: Int) {
    words.initializeElement(at: depth, to: UInt32(object))
    words.initializeElement(at: depth + 1, to: UInt32(next))
    depth += 2
  }

  func setNext(_ reference: Int) { words[depth - 1] = UInt32(reference) }

  /// The present object leads to one that was met before it.
  func topLeadsBack() { words[depth - 2] |= Self.leadsBack }

  /// - Returns: whether the object led back.
  mutating func pop() -> Bool {
    depth -= 2
    return words[depth] & Self.leadsBack != 0
  }

  var lastOpen: Int? { open == words.count ? nil : Int(words[open]) }

  mutating func keepOpen(_ object: Int) {
    open -= 1
    words.initializeElement(at: open, to: UInt32(object))
  }

  mutating func closeLast() { open += 1 }
}
