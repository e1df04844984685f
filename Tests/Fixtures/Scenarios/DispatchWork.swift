// libdispatch's memory of finished and of pending work.

import Foundation

extension Scenario {
  static let dispatchWork = [Scenario("suspendedWork", plantSuspendedWork)]

  /// For a separate program: how many of the objects are found depends on other work of the process.
  static let finishedWork = [
    Scenario("finishedWork", plantFinishedWork), Scenario("busyManager", plantBusyManager),
  ]
}

final class Parcel {
  var number = 0
}

/// A queue as C code uses it, whose work is a function and the object that it is called for.
struct WorkQueue: @unchecked Sendable {  // libdispatch's queues are for any thread
  typealias Work = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private typealias Make = @convention(c) (UnsafePointer<CChar>?, OpaquePointer?) -> OpaquePointer
  private typealias Change = @convention(c) (OpaquePointer) -> Void
  private typealias Run = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?, Work) -> Void

  private let queue: OpaquePointer

  init() { queue = Self.function("dispatch_queue_create", Make.self)(nil, nil) }

  func suspend() { Self.function("dispatch_suspend", Change.self)(queue) }
  func resume() { Self.function("dispatch_resume", Change.self)(queue) }
  func async(_ context: UnsafeMutableRawPointer?, _ work: Work) {
    Self.function("dispatch_async_f", Run.self)(queue, context, work)
  }
  func sync(_ work: Work) { Self.function("dispatch_sync_f", Run.self)(queue, nil, work) }

  private static func function<Function>(_ name: String, _: Function.Type) -> Function {
    unsafeBitCast(dlsym(nil, name), to: Function.self)
  }
}

/// Runs all work on one thread, which still has the continuations of the earlier work in its cache at the end.
@inline(never)
func runTogether(_ contexts: [UnsafeMutableRawPointer?], last: WorkQueue.Work) {
  let queue = WorkQueue()
  queue.suspend()
  for context in contexts { queue.async(context) { _ in } }
  queue.async(nil, last)
  queue.resume()
  queue.sync { _ in }
}

/// The work does not release its context.
@inline(never) @_optimize(none)
func plantFinishedWork() {
  var contexts: [UnsafeMutableRawPointer?] = []
  for _ in 0..<7 { contexts.append(Unmanaged.passRetained(Parcel()).toOpaque()) }
  // The last one's address stays on the stack.
  Unmanaged<Parcel>.fromOpaque(contexts.removeLast()!).release()
  runTogether(contexts) { _ in }
  overwriteStack()
}

let waiting = WorkQueue()

/// The work would release its context if it ran.
@inline(never) @_optimize(none)
func plantSuspendedWork() {
  waiting.suspend()
  runTogether(Array(repeating: nil, count: 6)) { _ in
    for _ in 0..<3 {
      waiting.async(Unmanaged.passRetained(Parcel()).toOpaque()) {
        Unmanaged<Parcel>.fromOpaque($0!).release()
      }
    }
  }
}

nonisolated(unsafe) var pendingWork = DispatchQueue(label: "pending")
nonisolated(unsafe) var parcels: [Parcel] = []

/// libdispatch's manager wakes each millisecond, and no other thread does: the work waits in a suspended queue. The
/// heap is large, so that reading it takes longer.
@inline(never) @_optimize(none)
func plantBusyManager() {
  parcels = (0..<100_000).map { _ in Parcel() }
  pendingWork.suspend()
  for milliseconds in 1...5_000 {
    pendingWork.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {}
  }
  _ = Unmanaged.passRetained(Handle())
}
