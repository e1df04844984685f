// Objects with unbalanced retains.

extension Scenario {
  static let retains = [
    Scenario("passRetained", plantPassRetained),
    Scenario("retainedTwice", plantRetainedTwice),
    Scenario("retainedWithVictims", plantRetainedWithVictims),
    Scenario("retainedCycle", plantRetainedCycle),
    Scenario("balancedRetains", plantBalancedRetains),
  ]
}

final class Handle {
  var number = 0

  /// The retain is not the last that it does: that one would be made in the name of the caller.
  @inline(never)
  func giveAway() -> UnsafeMutableRawPointer {
    let pointer = Unmanaged.passRetained(self).toOpaque()
    use(pointer)
    return pointer
  }
}

@inline(never) @_optimize(none)
func plantPassRetained() {
  let handle = Handle()
  use(handle.giveAway())
}

@inline(never) @_optimize(none)
func plantRetainedTwice() {
  let handle = Handle()
  use(handle.giveAway())
  use(handle.giveAway())
}

final class Archive {
  var entries = [Handle(), Handle()]
}

@inline(never) @_optimize(none)
func plantRetainedWithVictims() {
  let archive = Archive()
  use(Unmanaged.passRetained(archive).toOpaque())
}

/// A cycle that is over-retained as well: breaking it would not deallocate it.
@inline(never) @_optimize(none)
func plantRetainedCycle() {
  let author = Author()
  let book = Book()
  author.book = book
  book.author = author
  use(Unmanaged.passRetained(author).toOpaque())
}

@inline(never) @_optimize(none)
func plantBalancedRetains() {
  let handle = Handle()
  for _ in 0..<10 {
    Unmanaged<Handle>.fromOpaque(handle.giveAway()).release()
  }
}
