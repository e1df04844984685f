// Cycles through classes of Foundation and Dispatch, and subclasses of theirs.

import Dispatch
import Foundation

extension Scenario {
  static let libraries = [
    Scenario("workItem", plantWorkItem),
    Scenario("objectSubclass", plantObjectSubclass),
    Scenario("decoderSubclass", plantDecoderSubclass),
    Scenario("operationSubclass", plantOperationSubclass),
    Scenario("operationBlock", plantOperationBlock),
    Scenario("objectBox", plantObjectBox),
    Scenario("notificationToken", plantNotificationToken),
  ]
}

final class Debouncer {
  var workItem: DispatchWorkItem?
  var runs = 0

  func schedule() {
    workItem = DispatchWorkItem { self.runs += 1 }
  }
}

@inline(never) @_optimize(none)
func plantWorkItem() {
  let debouncer = Debouncer()
  debouncer.schedule()
}

final class Wrapper: NSObject {
  var handler: (() -> Void)?
  var calls = 0

  func start() {
    handler = { self.calls += 1 }
  }
}

@inline(never) @_optimize(none)
func plantObjectSubclass() {
  let wrapper = Wrapper()
  wrapper.start()
}

/// Its superclass is resilient: the offsets of its properties are known at run time only.
///
/// `@unchecked Sendable`, here and below: one thread uses it.
final class TracingDecoder: JSONDecoder, @unchecked Sendable {
  var onDecode: (() -> Void)?
  var decodes = 0

  func start() {
    onDecode = { self.decodes += 1 }
  }
}

@inline(never) @_optimize(none)
func plantDecoderSubclass() {
  let decoder = TracingDecoder()
  decoder.start()
}

final class ImportOperation: Foundation.Operation, @unchecked Sendable {
  var coordinator: ImportCoordinator?
}
final class ImportCoordinator {
  var operation: ImportOperation?

  func start() {
    operation = ImportOperation()
    operation?.coordinator = self
  }
}

@inline(never) @_optimize(none)
func plantOperationSubclass() {
  let coordinator = ImportCoordinator()
  coordinator.start()
}

/// A property of Foundation's class holds the closure.
final class ExportOperation: Foundation.Operation, @unchecked Sendable {
  var exported = 0

  func start(_ count: Int) {
    completionBlock = { self.exported += count }
  }
}

@inline(never) @_optimize(none)
func plantOperationBlock() {
  let operation = ExportOperation()
  operation.start(3)
}

final class Ticket {
  var queue: NSMutableArray?
}

/// The array's elements are in memory of C code.
@inline(never) @_optimize(none)
func plantObjectBox() {
  let ticket = Ticket()
  let queue = NSMutableArray()
  queue.add(ticket)
  ticket.queue = queue
}

/// `@unchecked Sendable`: the notification is never posted.
final class Badge: @unchecked Sendable {
  var token: (any NSObjectProtocol)?
  var count = 0

  func start() {
    token = NotificationCenter.default.addObserver(forName: .init("Badge"), object: nil, queue: nil) { _ in
      self.count += 1
    }
  }
}

@inline(never) @_optimize(none)
func plantNotificationToken() {
  let badge = Badge()
  badge.start()
}
