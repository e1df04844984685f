// Actors, tasks and asynchronous streams.

import Dispatch
import Glibc

extension Scenario {
  static let concurrency = [
    Scenario("actorClosure", plantActorClosure),
    Scenario("endlessTask", plantEndlessTask),
    Scenario("lostContinuation", plantLostContinuation),
    Scenario("waitingForStream", plantWaitingForStream),
    Scenario("streamContinuations", plantStreamContinuations),
    Scenario("onTermination", plantOnTermination),
    Scenario("finishedTask", plantFinishedTask),
  ]
}

actor Counter {
  var onCount: (@Sendable () async -> Void)?
  var count = 0

  func increment() { count += 1 }

  func start() {
    onCount = { await self.increment() }
  }
}

/// Runs an asynchronous function to its end, on a thread that waits.
@inline(never) @_optimize(none)
func wait(for body: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    done.signal()
  }
  done.wait()
  // The task itself has yet to end.
  waitUntilOthersSleep()
}

@inline(never) @_optimize(none)
func makeActorClosure() async {
  let counter = Counter()
  await counter.start()
}

@inline(never) @_optimize(none)
func plantActorClosure() {
  wait { await makeActorClosure() }
}

/// `@unchecked Sendable`: `task` is written before the task is waited for, and only there.
final class Poller: @unchecked Sendable {
  var task: Task<Void, Never>?
  let isRunning = DispatchSemaphore(value: 0)

  func start() {
    task = Task.detached {
      while true {
        self.poll()
        try? await Task.sleep(for: .seconds(3_600))
      }
    }
  }

  func poll() { isRunning.signal() }
}

@inline(never) @_optimize(none)
func plantEndlessTask() {
  let poller = Poller()
  poller.start()
  poller.isRunning.wait()
  waitUntilOthersSleep()
}

/// `@unchecked Sendable`: see `Poller`.
final class Waiter: @unchecked Sendable {
  var task: Task<Void, Never>?
  let isWaiting = DispatchSemaphore(value: 0)

  func start() {
    task = Task.detached { await self.waitForNothing() }
  }

  /// The continuation is lost.
  func waitForNothing() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in isWaiting.signal() }
  }
}

@inline(never) @_optimize(none)
func plantLostContinuation() {
  let waiter = Waiter()
  waiter.start()
  waiter.isWaiting.wait()
  waitUntilOthersSleep()
}

struct Event: Sendable {
  var number = 0
}

/// `@unchecked Sendable`: see `Poller`.
final class Subscriber: @unchecked Sendable {
  let continuation: AsyncStream<Event>.Continuation
  let events: AsyncStream<Event>
  var task: Task<Void, Never>?
  let isWaiting = DispatchSemaphore(value: 0)

  init() { (events, continuation) = AsyncStream<Event>.makeStream() }

  func start() {
    task = Task.detached {
      self.isWaiting.signal()
      for await event in self.events { use(event) }
    }
  }
}

/// The stream never ends, because the task that awaits it holds the only object that could end it.
@inline(never) @_optimize(none)
func plantWaitingForStream() {
  let subscriber = Subscriber()
  subscriber.start()
  subscriber.isWaiting.wait()
  waitUntilOthersSleep()
}

/// `@unchecked Sendable`: one thread uses it.
final class Broadcaster: @unchecked Sendable {
  static let shared = Broadcaster()
  var continuations: [AsyncStream<Event>.Continuation] = []

  func subscribe(_ listener: Listener) -> AsyncStream<Event> {
    AsyncStream { continuation in
      continuation.onTermination = { _ in listener.close() }
      continuations.append(continuation)
    }
  }
}

/// `@unchecked Sendable`: see `Broadcaster`.
final class Listener: @unchecked Sendable {
  var isOpen = true
  let isWaiting = DispatchSemaphore(value: 0)

  func close() { isOpen = false }

  func start() {
    let events = Broadcaster.shared.subscribe(self)
    Task.detached { [isWaiting] in
      isWaiting.signal()
      for await event in events { use(event) }
    }
  }
}

/// Subscriptions that never end.
@inline(never) @_optimize(none)
func plantStreamContinuations() {
  for _ in 0..<10 {
    let listener = Listener()
    listener.start()
    listener.isWaiting.wait()
  }
  waitUntilOthersSleep()
}

/// `@unchecked Sendable`: see `Broadcaster`.
final class Feed: @unchecked Sendable {
  var events: AsyncStream<Event>?
  var isEnded = false

  func start() {
    events = AsyncStream { continuation in
      continuation.onTermination = { _ in self.isEnded = true }
    }
  }
}

/// The stream holds its `onTermination` closure, and an object that the closure captured holds the stream.
@inline(never) @_optimize(none)
func plantOnTermination() {
  let feed = Feed()
  feed.start()
}

/// `@unchecked Sendable`: see `Poller`.
final class Worker: @unchecked Sendable {
  var task: Task<Void, Never>?
  var results = 0

  func start() {
    task = Task.detached { self.results += 1 }
  }
}

/// A completed task releases its captures.
@inline(never) @_optimize(none)
func plantFinishedTask() {
  let worker = Worker()
  worker.start()
  wait { await worker.task?.value }
  waitUntilOthersSleep()
}
