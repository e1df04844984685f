// What only its owner can have done: work of libdispatch, jobs of executors. And memory that objects own.

import Dispatch
import Foundation
import Observation

extension Scenario {
  static let owned = [
    Scenario("itemNotification", plantItemNotification),
    Scenario("ownGroup", plantOwnGroup),
    Scenario("queueValue", plantQueueValue),
    Scenario("ownChannel", plantOwnChannel),
    Scenario("ownMemory", plantOwnMemory),
    Scenario("idleExecutor", plantIdleExecutor),
    Scenario("queuedItem", plantQueuedItem),
    Scenario("workOfGroup", plantWorkOfGroup),
    Scenario("readingChannel", plantReadingChannel),
    Scenario("heldMemory", plantHeldMemory),
    Scenario("laterExecutor", plantLaterExecutor),
    Scenario("performedItem", plantPerformedItem),
    Scenario("removedQueueValue", plantRemovedQueueValue),
    Scenario("closedChannel", plantClosedChannel),
    Scenario("openMemory", plantOpenMemory),
  ]

  #if compiler(>=6.2)
    static let observing = [Scenario("observingTask", plantObservingTask)]
  #else
    static let observing: [Scenario] = []
  #endif
}

/// Work that is never done.
private let halted: DispatchQueue = {
  let queue = DispatchQueue(label: "halted")
  queue.suspend()
  return queue
}()

// MARK: - Work items

final class Export: @unchecked Sendable {
  var item: DispatchWorkItem?
  var state = 0

  func prepare() -> DispatchWorkItem {
    let item = DispatchWorkItem {}
    item.notify(queue: .global()) { self.state = 2 }
    self.item = item
    return item
  }
}

@inline(never) @_optimize(none)
func plantItemNotification() {
  _ = Export().prepare()
}

@inline(never) @_optimize(none)
func plantQueuedItem() {
  halted.async(execute: Export().prepare())
}

@inline(never) @_optimize(none)
func plantPerformedItem() {
  Export().prepare().perform()
  usleep(20_000)
}

// MARK: - Groups

final class Party: @unchecked Sendable {
  let group = DispatchGroup()
  var isOver = false

  func wait() { group.notify(queue: .global()) { self.isOver = true } }
}

@inline(never) @_optimize(none)
func plantOwnGroup() {
  let party = Party()
  party.group.enter()
  party.wait()
}

/// The work leaves the group when it has run.
@inline(never) @_optimize(none)
func plantWorkOfGroup() {
  let party = Party()
  halted.async(group: party.group) {}
  party.wait()
}

// MARK: - Queues

final class Route: @unchecked Sendable {
  /// Swift 6.0 does not know that keys are `Sendable`.
  private struct Key: @unchecked Sendable { let value = DispatchSpecificKey<Route>() }
  private static let key = Key()
  let queue = DispatchQueue(label: "route", attributes: .concurrent)

  func open() { queue.setSpecific(key: Route.key.value, value: self) }
  func close() { queue.setSpecific(key: Route.key.value, value: nil) }
}

@inline(never) @_optimize(none)
func plantQueueValue() {
  Route().open()
}

@inline(never) @_optimize(none)
func plantRemovedQueueValue() {
  let route = Route()
  route.open()
  route.close()
}

// MARK: - Channels

final class Tail: @unchecked Sendable {
  var channel: DispatchIO?
  var lines = 0

  func open() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let (input, output) = (ends[0], ends[1])
    channel = DispatchIO(type: .stream, fileDescriptor: input, queue: .global()) { _ in
      self.lines = -1
      close(input)
      close(output)
    }
    waitUntilOthersSleep()
  }
}

@inline(never) @_optimize(none)
func plantOwnChannel() {
  Tail().open()
}

@inline(never) @_optimize(none)
func plantReadingChannel() {
  let tail = Tail()
  tail.open()
  tail.channel?.read(offset: 0, length: 1, queue: .global()) { _, _, _ in }
  waitUntilOthersSleep()
}

@inline(never) @_optimize(none)
func plantClosedChannel() {
  let tail = Tail()
  tail.open()
  tail.channel?.close(flags: .stop)
  tail.channel = nil
  waitUntilOthersSleep()
}

// MARK: - Memory

final class Station {
  let next = UnsafeMutablePointer<Station?>.allocate(capacity: 1)

  init() { next.initialize(to: nil) }
  deinit {
    next.deinitialize(count: 1)
    next.deallocate()
  }

  static func line(closed: Bool) -> Station {
    let (first, last) = (Station(), Station())
    first.next.pointee = last
    if closed { last.next.pointee = first }
    return first
  }
}

nonisolated(unsafe) var platform: UnsafeMutablePointer<Station?>?

@inline(never) @_optimize(none)
func plantOwnMemory() {
  _ = Station.line(closed: true)
}

@inline(never) @_optimize(none)
func plantHeldMemory() {
  platform = Station.line(closed: true).next
}

@inline(never) @_optimize(none)
func plantOpenMemory() {
  _ = Station.line(closed: false)
}

// MARK: - Executors

/// Keeps its jobs until it is told to run them.
final class JobList: TaskExecutor, @unchecked Sendable {
  private let lock = NSLock()
  private var jobs: [UnownedJob] = []
  let hasJob = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    lock.withLock { jobs.append(job) }
    hasJob.signal()
  }
}

final class Agenda: @unchecked Sendable {
  let list: JobList
  private var task: Task<Void, Never>?
  private var isDone = false

  init(_ list: JobList) { self.list = list }

  func begin() {
    task = Task(executorPreference: list) { self.isDone = true }
    list.hasJob.wait()
  }
}

let laterJobs = JobList()

@inline(never) @_optimize(none)
func plantIdleExecutor() {
  Agenda(JobList()).begin()
}

@inline(never) @_optimize(none)
func plantLaterExecutor() {
  Agenda(laterJobs).begin()
}

// MARK: - Observations

#if compiler(>=6.2)
  @Observable
  final class ShoppingCart {
    var items = 0
  }

  /// The task waits for a change of what only it keeps.
  final class CartBadge: @unchecked Sendable {
    let cart = ShoppingCart()
    let isWaiting = DispatchSemaphore(value: 0)
    var shown = ""

    func start() {
      Task.detached {
        self.isWaiting.signal()
        for await text in Observations({ "\(self.cart.items)" }) { self.shown = text }
      }
    }
  }

  @inline(never) @_optimize(none)
  func plantObservingTask() {
    let badge = CartBadge()
    badge.start()
    badge.isWaiting.wait()
    waitUntilOthersSleep()
  }
#endif
