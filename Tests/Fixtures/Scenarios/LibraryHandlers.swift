// Handlers that a library below Swift will call, or cannot call any more.

import Dispatch
import Foundation

extension Scenario {
  static let libraryHandlers = [
    Scenario("inactiveSource", plantInactiveSource),
    Scenario("suspendedSource", plantSuspendedSource),
    Scenario("sourceWithCancelHandler", plantSourceWithCancelHandler),
    Scenario("unscheduledSource", plantUnscheduledSource),
    Scenario("dataSource", plantDataSource),
    Scenario("suspendedQueue", plantSuspendedQueue),
    Scenario("unscheduledTimer", plantUnscheduledTimer),
    Scenario("timerSource", plantTimerSource),
    Scenario("readSource", plantReadSource),
    Scenario("signalSource", plantSignalSource),
    Scenario("laterWork", plantLaterWork),
    Scenario("laterWorkItem", plantLaterWorkItem),
    Scenario("heldQueue", plantHeldQueue),
    Scenario("waitingGroup", plantWaitingGroup),
    Scenario("scheduledTimer", plantScheduledTimer),
    Scenario("runLoopBlock", plantRunLoopBlock),
    Scenario("readabilityHandler", plantReadabilityHandler),
    Scenario("cancelledSource", plantCancelledSource),
    Scenario("releasedSource", plantReleasedSource),
    Scenario("finishedLaterWork", plantFinishedLaterWork),
    Scenario("leftGroup", plantLeftGroup),
    Scenario("invalidatedTimer", plantInvalidatedTimer),
    Scenario("removedObserver", plantRemovedObserver),
    Scenario("removedReadabilityHandler", plantRemovedReadabilityHandler),
  ]

  /// For separate programs: their threads stay, and any thread may hold an object in a register.
  static let libraryThreads = [
    Scenario("runningThread", plantRunningThread),
    Scenario("runningProcess", plantRunningProcess),
    Scenario("timerOfThread", plantTimerOfThread),
  ]
}

private let hour: TimeInterval = 3_600

/// `@unchecked Sendable`, here and below: no handler runs.
final class Heartbeat: @unchecked Sendable {
  var source: (any DispatchSourceProtocol)?
  var beats = 0

  func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { self.beats += 1 }
    source = timer
    return timer
  }

  /// A closure of its own: a source that was never resumed must not be released, as it would be without the cycle.
  func startUnscheduled() {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { self.beats += 1 }
    source = timer
    timer.resume()
  }

  func start() {
    let timer = makeTimer()
    timer.schedule(deadline: .now() + hour, repeating: hour)
    timer.resume()
  }

  func countSignals() {
    source = DispatchSource.makeSignalSource(signal: SIGUSR2, queue: .global())
    source?.setEventHandler { self.beats += 1 }
    source?.resume()
  }

  func countNumbers() {
    source = DispatchSource.makeUserDataAddSource(queue: .global())
    source?.setEventHandler { self.beats += 1 }
    source?.resume()
  }
}

@inline(never) @_optimize(none)
func plantInactiveSource() {
  let heartbeat = Heartbeat()
  heartbeat.makeTimer().schedule(deadline: .now() + hour)
}

@inline(never) @_optimize(none)
func plantSuspendedSource() {
  let heartbeat = Heartbeat()
  heartbeat.start()
  heartbeat.source?.suspend()
}

/// A timer without a time never fires.
@inline(never) @_optimize(none)
func plantUnscheduledSource() {
  let heartbeat = Heartbeat()
  heartbeat.startUnscheduled()
}

/// Only its owner can add numbers to it.
@inline(never) @_optimize(none)
func plantDataSource() {
  let heartbeat = Heartbeat()
  heartbeat.countNumbers()
}

@inline(never) @_optimize(none)
func plantTimerSource() {
  let heartbeat = Heartbeat()
  heartbeat.start()
}

@inline(never) @_optimize(none)
func plantSignalSource() {
  let heartbeat = Heartbeat()
  heartbeat.countSignals()
}

@inline(never) @_optimize(none)
func plantCancelledSource() {
  let heartbeat = Heartbeat()
  let isCancelled = DispatchSemaphore(value: 0)
  let timer = heartbeat.makeTimer()
  timer.setCancelHandler { isCancelled.signal() }
  timer.schedule(deadline: .now() + hour)
  timer.resume()
  timer.cancel()
  isCancelled.wait()
  usleep(20_000)
}

/// A source ends with its owner.
final class Metronome {
  let source = DispatchSource.makeTimerSource(queue: .global())
  var beats = 0

  func start() {
    source.setEventHandler { [weak self] in self?.beats += 1 }
    source.schedule(deadline: .now() + hour)
    source.resume()
  }
}

@inline(never) @_optimize(none)
func plantReleasedSource() {
  let metronome = Metronome()
  metronome.start()
  usleep(20_000)
}

/// Watches a pipe without data.
final class PipeReader: @unchecked Sendable {
  let pipe = Pipe()
  var source: (any DispatchSourceRead)?
  var reads = 0

  func start() {
    source = DispatchSource.makeReadSource(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
    source?.setEventHandler { self.reads += 1 }
    source?.resume()
  }

  func startWithCancelHandler() {
    source = DispatchSource.makeReadSource(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
    source?.setEventHandler {}
    source?.setCancelHandler { self.reads = 0 }
  }

  func listen() {
    pipe.fileHandleForReading.readabilityHandler = { @Sendable _ in self.reads += 1 }
  }
}

@inline(never) @_optimize(none)
func plantReadSource() {
  let reader = PipeReader()
  reader.start()
}

@inline(never) @_optimize(none)
func plantSourceWithCancelHandler() {
  let reader = PipeReader()
  reader.startWithCancelHandler()
}

@inline(never) @_optimize(none)
func plantReadabilityHandler() {
  let reader = PipeReader()
  reader.listen()
}

@inline(never) @_optimize(none)
func plantRemovedReadabilityHandler() {
  let reader = PipeReader()
  reader.listen()
  reader.pipe.fileHandleForReading.readabilityHandler = nil
  usleep(20_000)
}

final class Outbox: @unchecked Sendable {
  let queue: DispatchQueue
  var item: DispatchWorkItem?
  var sent = 0

  init(_ queue: DispatchQueue = DispatchQueue(label: "outbox.queue")) { self.queue = queue }

  func send() {
    queue.async { self.sent += 1 }
  }

  func send(after delay: TimeInterval) {
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { self.sent += 1 }
  }

  func sendItem(after delay: TimeInterval) {
    let item = DispatchWorkItem { self.sent += 1 }
    DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: item)
    self.item = item
  }

  func send(after group: DispatchGroup, _ isSent: DispatchSemaphore) {
    group.notify(queue: .global()) {
      self.sent += 1
      isSent.signal()
    }
  }
}

/// Only its owner can resume the queue.
@inline(never) @_optimize(none)
func plantSuspendedQueue() {
  let outbox = Outbox()
  outbox.queue.suspend()
  outbox.send()
}

let heldQueue = DispatchQueue(label: "held.queue")

@inline(never) @_optimize(none)
func plantHeldQueue() {
  heldQueue.suspend()
  let outbox = Outbox(heldQueue)
  outbox.send()
}

@inline(never) @_optimize(none)
func plantLaterWork() {
  let outbox = Outbox(.global())
  outbox.send(after: hour)
}

@inline(never) @_optimize(none)
func plantLaterWorkItem() {
  let outbox = Outbox(.global())
  outbox.sendItem(after: hour)
}

@inline(never) @_optimize(none)
func plantFinishedLaterWork() {
  let outbox = Outbox(.global())
  outbox.send(after: 0.001)
  usleep(50_000)
}

nonisolated(unsafe) var waitingGroups: [DispatchGroup] = []

@inline(never) @_optimize(none)
func plantWaitingGroup() {
  let group = DispatchGroup()
  waitingGroups.append(group)
  group.enter()
  let outbox = Outbox(.global())
  outbox.send(after: group, DispatchSemaphore(value: 0))
}

@inline(never) @_optimize(none)
func plantLeftGroup() {
  let group = DispatchGroup()
  let isSent = DispatchSemaphore(value: 0)
  group.enter()
  let outbox = Outbox(.global())
  outbox.send(after: group, isSent)
  group.leave()
  isSent.wait()
  usleep(20_000)
}

final class Ticker: @unchecked Sendable {
  var timer: Timer?
  var ticks = 0

  func makeTimer() -> Timer {
    let timer = Timer(timeInterval: hour, repeats: true) { _ in self.ticks += 1 }
    self.timer = timer
    return timer
  }

  func makeWeakTimer() -> Timer {
    let timer = Timer(timeInterval: hour, repeats: true) { [weak self] _ in self?.ticks += 1 }
    self.timer = timer
    return timer
  }

  func tickOnce() {
    RunLoop.main.perform(inModes: [RunLoop.Mode("never")]) { self.ticks += 1 }
  }
}

@inline(never) @_optimize(none)
func plantUnscheduledTimer() {
  let ticker = Ticker()
  _ = ticker.makeTimer()
}

@inline(never) @_optimize(none)
func plantScheduledTimer() {
  let ticker = Ticker()
  RunLoop.main.add(ticker.makeTimer(), forMode: .default)
}

@inline(never) @_optimize(none)
func plantInvalidatedTimer() {
  let ticker = Ticker()
  let timer = ticker.makeWeakTimer()
  RunLoop.main.add(timer, forMode: .default)
  timer.invalidate()
}

@inline(never) @_optimize(none)
func plantRunLoopBlock() {
  let ticker = Ticker()
  ticker.tickOnce()
}

@inline(never) @_optimize(none)
func plantRemovedObserver() {
  let badge = Badge()
  badge.start()
  NotificationCenter.default.removeObserver(badge.token!)
  badge.token = nil
}

final class Miner: @unchecked Sendable {
  let isRunning = DispatchSemaphore(value: 0)
  var coins = 0

  func start() {
    Thread {
      self.mine()
      Thread.sleep(forTimeInterval: hour)
    }.start()
    isRunning.wait()
  }

  @inline(never)
  func addTimer() {
    RunLoop.current.add(Timer(timeInterval: hour, repeats: true) { _ in self.mine() }, forMode: .default)
  }

  func mine() {
    coins += 1
    isRunning.signal()
  }
}

@inline(never) @_optimize(none)
func plantRunningThread() {
  let miner = Miner()
  miner.start()
}

@inline(never) @_optimize(none)
func plantTimerOfThread() {
  let hasTimer = DispatchSemaphore(value: 0)
  Thread {
    addTimerToThread()
    overwriteStack()
    hasTimer.signal()
    RunLoop.current.run()
  }.start()
  hasTimer.wait()
  usleep(20_000)
}

@inline(never) @_optimize(none)
func addTimerToThread() {
  let miner = Miner()
  miner.addTimer()
}

final class Compiler: @unchecked Sendable {
  var exits = 0

  /// It ends when its input is closed, which is when this program ends.
  func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cat")
    process.standardInput = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.terminationHandler = { _ in self.exits += 1 }
    try process.run()
  }
}

@inline(never) @_optimize(none)
func plantRunningProcess() {
  let compiler = Compiler()
  try? compiler.start()
}
