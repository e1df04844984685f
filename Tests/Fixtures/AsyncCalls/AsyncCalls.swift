// Asynchronous calls three deep; the innermost one leaks an object after a suspension.

/// Public, so that the optimiser leaves the property in place.
public class Leftover {
  public var itself: Leftover?
}

final class AtOnce: Leftover {}
final class AfterSleep: Leftover {}
final class AfterYield: Leftover {}
final class AfterContinuation: Leftover {}
final class OfGroup: Leftover {}
final class OfAsyncLet: Leftover {}
final class OfActor: Leftover {}
final class OfDetached: Leftover {}
final class InSynchronousCall: Leftover {}

/// Leaks an object.
@inline(never) func keep(_ leftover: Leftover) { leftover.itself = leftover }

enum Pause {
  case none, sleep, yield, continuation
}

@inline(never) func wait(_ pause: Pause) async throws {
  switch pause {
  case .none: break
  case .sleep: try await Task.sleep(nanoseconds: 1_000_000)
  case .yield: await Task.yield()
  case .continuation:
    await withCheckedContinuation { continuation in
      Task.detached { continuation.resume() }
    }
  }
}

@inline(never) func inner<Kind: Leftover>(_ pause: Pause, _ make: @Sendable () -> Kind) async throws {
  try await wait(pause)
  keep(make())
}

@inline(never) func middle<Kind: Leftover>(_ pause: Pause, _ make: @Sendable () -> Kind) async throws {
  try await inner(pause, make)
  print(Kind.self)
}

@inline(never) func outer<Kind: Leftover>(_ pause: Pause, _ make: @Sendable () -> Kind) async throws {
  try await middle(pause, make)
  print(pause)
}

@inline(never) func group() async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await middle(.sleep) { OfGroup() } }
    try await group.waitForAll()
  }
}

@inline(never) func asyncLet() async throws {
  async let done: Void = middle(.sleep) { OfAsyncLet() }
  try await done
}

actor Worker {
  private var jobs = 0
  @inline(never) func work() async throws {
    try await inner(.sleep) { OfActor() }
    jobs += 1
  }
}

@inline(never) func actor() async throws {
  try await Worker().work()
  print("worked")
}

@inline(never) func detached() async throws {
  try await Task.detached { try await middle(.yield) { OfDetached() } }.value
}

/// Needs most registers, so that the one with the asynchronous context is saved by it.
@inline(never) func synchronous(_ numbers: [Int]) -> Int {
  var (a, b, c, d, e, f) = (0, 1, 2, 3, 4, 5)
  for number in numbers {
    a = number &* b ^ numbers[a & 3]
    (b, c, d, e, f) = (c &+ a, d ^ b, e &- c, f &+ d, a ^ number)
  }
  keep(InSynchronousCall())
  return a ^ b ^ c ^ d ^ e ^ f
}

@inline(never) func callsSynchronous() async throws {
  try await wait(.sleep)
  print(synchronous([1, 2, 3, 4]))
}

@inline(never) func waitsForSynchronous() async throws {
  try await callsSynchronous()
  print("called")
}

@main struct AsyncCalls {
  static func main() async throws {
    try await outer(.none) { AtOnce() }
    try await outer(.sleep) { AfterSleep() }
    try await outer(.yield) { AfterYield() }
    try await outer(.continuation) { AfterContinuation() }
    try await group()
    try await asyncLet()
    try await actor()
    try await detached()
    try await waitsForSynchronous()
  }
}
