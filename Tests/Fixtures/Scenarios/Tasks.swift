// Suspended tasks: leaks that nothing can resume, and tasks that something still can.

import Dispatch
import Foundation
import Glibc

extension Scenario {
  static let tasks = [
    Scenario("ownStream", plantOwnStream),
    Scenario("throwingStream", plantThrowingStream),
    Scenario("checkedContinuation", plantCheckedContinuation),
    Scenario("ownContinuation", plantOwnContinuation),
    Scenario("waitingTaskGroup", plantWaitingTaskGroup),
    Scenario("asyncLet", plantAsyncLet),
    Scenario("awaitedTask", plantAwaitedTask),
    Scenario("actorMethod", plantActorMethod),
    Scenario("taskLocalValue", plantTaskLocalValue),
    Scenario("globalContinuation", plantGlobalContinuation),
    Scenario("registeredContinuation", plantRegisteredContinuation),
    Scenario("continuationInC", plantContinuationInC),
    Scenario("continuationInBuffer", plantContinuationInBuffer),
    Scenario("continuationInBlock", plantContinuationInBlock),
    Scenario("sleepingTask", plantSleepingTask),
    Scenario("heldStream", plantHeldStream),
    Scenario("cancellableTask", plantCancellableTask),
    Scenario("cancelledTask", plantCancelledTask),
  ]

  /// They block a thread for ever: a function that waits may have a continuation in a register.
  static let blockedTasks = [
    Scenario("busyActor", plantBusyActor), Scenario("blockedThread", plantBlockedThread),
  ]
}

typealias Resume = UnsafeContinuation<Void, Never>

/// What a task works for. `@unchecked Sendable`: each of its properties is written once, before the task waits.
class Job: @unchecked Sendable {
  var task: Task<Void, Never>?
  var resume: Resume?
  let isWaiting = DispatchSemaphore(value: 0)

  /// Starts a task and returns when it is suspended.
  func run(_ body: @escaping @Sendable (Job) async -> Void) {
    task = Task.detached { await body(self) }
    waitUntilSuspended()
  }

  func waitUntilSuspended() {
    isWaiting.wait()
    waitUntilOthersSleep()
  }

  /// Inlined or specialised, its frames have the name of the function around it.
  @inline(never) @_optimize(none)
  func suspend(_ keep: (Resume) -> Void = { _ in }) async {
    await withUnsafeContinuation { continuation in
      keep(continuation)
      isWaiting.signal()
    }
  }
}

// MARK: - Leaks

/// The usual mistake: the task holds the model while it waits for the model's own events.
final class Chat: @unchecked Sendable {
  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  let isWaiting = DispatchSemaphore(value: 0)
  var received = 0

  init() { (events, continuation) = AsyncStream<Event>.makeStream() }

  func start() {
    Task.detached { [weak self] in
      guard let self else { return }
      self.isWaiting.signal()
      for await event in self.events { self.received += event.number }
    }
  }
}

@inline(never) @_optimize(none)
func plantOwnStream() {
  let chat = Chat()
  chat.start()
  chat.isWaiting.wait()
  waitUntilOthersSleep()
}

final class ThrowingChat: @unchecked Sendable {
  let events: AsyncThrowingStream<Event, any Error>
  private let continuation: AsyncThrowingStream<Event, any Error>.Continuation
  let isWaiting = DispatchSemaphore(value: 0)
  var task: Task<Void, any Error>?

  init() { (events, continuation) = AsyncThrowingStream<Event, any Error>.makeStream() }

  func start() {
    task = Task.detached {
      self.isWaiting.signal()
      for try await event in self.events { use(event) }
    }
  }
}

@inline(never) @_optimize(none)
func plantThrowingStream() {
  let chat = ThrowingChat()
  chat.start()
  chat.isWaiting.wait()
  waitUntilOthersSleep()
}

final class Fetch: Job, @unchecked Sendable {
  var continuation: CheckedContinuation<Void, Never>?

  func finish() async {
    await withCheckedContinuation { continuation in
      self.continuation = continuation
      isWaiting.signal()
    }
  }
}

@inline(never) @_optimize(none)
func plantCheckedContinuation() {
  Fetch().run { await ($0 as! Fetch).finish() }
}

final class Upload: Job, @unchecked Sendable {}

/// The continuation is in the object that only the task keeps.
@inline(never) @_optimize(none)
func plantOwnContinuation() {
  Upload().run { job in await job.suspend { job.resume = $0 } }
}

final class Batch: Job, @unchecked Sendable {
  func runAll() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.suspend() }
      await group.waitForAll()
    }
  }
}

@inline(never) @_optimize(none)
func plantWaitingTaskGroup() {
  Batch().run { await ($0 as! Batch).runAll() }
}

final class Fork: Job, @unchecked Sendable {
  func runBoth() async {
    async let first: Void = suspend()
    await first
  }
}

@inline(never) @_optimize(none)
func plantAsyncLet() {
  Fork().run { await ($0 as! Fork).runBoth() }
}

final class Follower: Job, @unchecked Sendable {
  func follow() async {
    let leader = Task.detached { await self.suspend() }
    await leader.value
  }
}

@inline(never) @_optimize(none)
func plantAwaitedTask() {
  Follower().run { await ($0 as! Follower).follow() }
}

actor Gate {
  let isWaiting = DispatchSemaphore(value: 0)
  var passed = 0

  @inline(never) func pass() async {
    #if compiler(>=6.3)
      await withUnsafeContinuation { (_: Resume) in isWaiting.signal() }
    #else  // Debian's optimising 6.2.3 crashes on a closure that captures the actor.
      await withUnsafeContinuation { [isWaiting] (_: Resume) in isWaiting.signal() }
    #endif
    passed += 1
  }
}

@inline(never) @_optimize(none)
func plantActorMethod() {
  let gate = Gate()
  Task.detached { await gate.pass() }
  gate.isWaiting.wait()
  waitUntilOthersSleep()
}

enum Tracing {
  @TaskLocal static var current: Trace?
}

final class Trace: Job, @unchecked Sendable {}

@inline(never)
func waitForAnswer(_ isWaiting: DispatchSemaphore) async {
  await withUnsafeContinuation { (_: Resume) in isWaiting.signal() }
}

@inline(never) @_optimize(none)
func plantTaskLocalValue() {
  let trace = Trace()
  let isWaiting = trace.isWaiting
  Task.detached {
    await Tracing.$current.withValue(trace) { await waitForAnswer(isWaiting) }
  }
  trace.waitUntilSuspended()
}

// MARK: - Something can resume them

nonisolated(unsafe) var globalResume: Resume?

@inline(never) @_optimize(none)
func plantGlobalContinuation() {
  Upload().run { await $0.suspend { globalResume = $0 } }
}

/// `@unchecked Sendable`: one thread uses it at a time.
final class Waiters: @unchecked Sendable {
  static let shared = Waiters()
  var resumes: [Int: Resume] = [:]
}

@inline(never) @_optimize(none)
func plantRegisteredContinuation() {
  Upload().run { await $0.suspend { Waiters.shared.resumes[1] = $0 } }
}

nonisolated(unsafe) var cell: UnsafeMutableRawPointer?

@inline(never) @_optimize(none)
func plantContinuationInC() {
  cell = malloc(MemoryLayout<Resume>.size)
  Upload().run { await $0.suspend { cell?.initializeMemory(as: Resume.self, repeating: $0, count: 1) } }
}

/// `@unchecked Sendable`: see `Waiters`.
final class Pool: @unchecked Sendable {
  static let shared = Pool()
  let slots = UnsafeMutablePointer<Resume>.allocate(capacity: 4)
}

@inline(never) @_optimize(none)
func plantContinuationInBuffer() {
  Upload().run { await $0.suspend { Pool.shared.slots.initialize(to: $0) } }
}

/// A timer that fires long after the program has ended.
@inline(never) @_optimize(none)
func plantContinuationInBlock() {
  Upload().run {
    await $0.suspend { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3_600)) { continuation.resume() }
    }
  }
}

@inline(never) @_optimize(none)
func plantSleepingTask() {
  Upload().run { job in
    job.isWaiting.signal()
    try? await Task.sleep(for: .seconds(3_600))
  }
}

/// `@unchecked Sendable`: see `Waiters`.
final class Publisher: @unchecked Sendable {
  static let shared = Publisher()
  var subscribers: [AsyncStream<Event>.Continuation] = []

  func events() -> AsyncStream<Event> { AsyncStream { subscribers.append($0) } }
}

@inline(never) @_optimize(none)
func plantHeldStream() {
  Upload().run { job in
    let events = Publisher.shared.events()
    job.isWaiting.signal()
    for await event in events { use(event) }
  }
}

nonisolated(unsafe) var cancellable: Task<Void, Never>?

/// An owner of the handle may cancel the task.
@inline(never) @_optimize(none)
func plantCancellableTask() {
  let upload = Upload()
  upload.run { await $0.suspend() }
  cancellable = upload.task
}

actor Clerk {
  let isBusy = DispatchSemaphore(value: 0)
  let isDone = DispatchSemaphore(value: 0)
  var answers = 0

  func work() {
    isBusy.signal()
    isDone.wait()
  }

  /// Not inlined: the caller would not wait for the actor.
  @inline(never) func answer() { answers += 1 }
}

nonisolated(unsafe) var clerk: Clerk?

/// A task waits for an actor, which is busy for ever.
@inline(never) @_optimize(none)
func plantBusyActor() {
  let clerk = Clerk()
  Task.detached { await clerk.work() }
  clerk.isBusy.wait()
  Upload().run { job in
    job.isWaiting.signal()
    await clerk.answer()
  }
}

/// As in a server, whose event loops wait in functions of the program.
@inline(never) @_optimize(none)
func plantBlockedThread() {
  let isBlocked = DispatchSemaphore(value: 0)
  Thread {
    isBlocked.signal()
    waitForEver()
  }.start()
  isBlocked.wait()
  Fetch().run { await ($0 as! Fetch).finish() }
}

@inline(never)
func waitForEver() {
  while true { pause() }
}

// MARK: - Nothing to find

/// A stream ends when the task that iterates it is cancelled.
@inline(never) @_optimize(none)
func plantCancelledTask() {
  let chat = ThrowingChat()
  chat.start()
  chat.isWaiting.wait()
  waitUntilOthersSleep()
  chat.task?.cancel()
  wait { try? await chat.task?.value }
  waitUntilOthersSleep()
}
