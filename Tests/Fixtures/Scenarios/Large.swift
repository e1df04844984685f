// A hundred thousand objects.

extension Scenario {
  /// The last of all: if several scenarios run in one process, every later capture reads these objects too.
  static let large = [
    Scenario("longCycle", plantLongCycle),
    Scenario("longList", plantLongList),
  ]
}

final class Link {
  var next: Link?
}

/// A recursive walk would overflow the stack.
@inline(never) @_optimize(none)
func plantLongCycle() {
  let first = Link()
  var last = first
  for _ in 1..<100_000 {
    let link = Link()
    last.next = link
    last = link
  }
  last.next = first
}

nonisolated(unsafe) var list: Link?

@inline(never) @_optimize(none)
func plantLongList() {
  for _ in 0..<100_000 {
    let link = Link()
    link.next = list
    list = link
  }
}
