import FixtureSupport

final class Parcel {
  var next: Parcel?
  init(next: Parcel?) { self.next = next }
}

final class Survivor {
  let number: Int
  init(_ number: Int) { self.number = number }
}

/// The work of one thread.
struct Work: Sendable {
  static let chainLength = 100
  var parcels: Int
  var survivors: Int

  func run(taking mine: Locked<Parcel?>, handingTo next: Locked<Parcel?>) {
    var made = 0
    var kept = 0
    while made < parcels {
      let count = min(Work.chainLength, parcels - made)
      made += count
      drop(next.withLock { exchange(&$0, with: makeChain(of: count)) })
      drop(mine.withLock { exchange(&$0, with: nil) })
      // Spread over the whole time, so that survivors are allocated between freed objects.
      kept += leaveSurvivors(survivors * made / parcels - kept)
    }
  }
}

func makeChain(of count: Int) -> Parcel? {
  var chain: Parcel?
  for _ in 0..<count { chain = Parcel(next: chain) }
  return chain
}

/// Frees a chain from its head, without recursion.
func drop(_ chain: consuming Parcel?) {
  var rest = chain
  while let parcel = rest {
    rest = parcel.next
    parcel.next = nil
  }
}

func exchange(_ value: inout Parcel?, with new: Parcel?) -> Parcel? {
  let old = value
  value = new
  return old
}

@inline(never) @_optimize(none)
func leaveSurvivors(_ count: Int) -> Int {
  for number in 0..<count {
    leak(Survivor(number))
  }
  return count
}
