// Cycles that differ in what has to be changed: which of their references should not own its target.

import Dispatch
import Observation

extension Scenario {
  static let fixes = [
    Scenario("twoHandlers", plantTwoHandlers),
    Scenario("createdChild", plantCreatedChild),
    Scenario("weakDelegateMissing", plantWeakDelegateMissing),
    Scenario("linkedNodes", plantLinkedNodes),
    Scenario("handlersOfBoth", plantHandlersOfBoth),
    Scenario("capturedHelper", plantCapturedHelper),
    Scenario("genericParent", plantGenericParent),
    Scenario("parentInSuperclass", plantParentInSuperclass),
    Scenario("linkInStruct", plantLinkInStruct),
    Scenario("observedItself", plantObservedItself),
    Scenario("workItemItself", plantWorkItemItself),
  ]
}

/// Both closures capture it: one weak capture is not enough.
final class Dialog {
  var onAccept: (() -> Void)?
  var onCancel: (() -> Void)?

  func start() {
    onAccept = { use(self) }
    onCancel = { use(self) }
  }
}

@inline(never) @_optimize(none)
func plantTwoHandlers() {
  let dialog = Dialog()
  dialog.start()
}

/// The session creates its request, so the request's reference is the one back.
final class LoginSession {
  var request: LoginRequest?

  @inline(never)
  func begin() { request = LoginRequest(context: self) }
}

final class LoginRequest {
  let context: LoginSession

  init(context: LoginSession) { self.context = context }
}

@inline(never) @_optimize(none)
func plantCreatedChild() {
  let session = LoginSession()
  session.begin()
}

protocol SensorDelegate: AnyObject {}

final class Sensor {
  var sensorDelegate: (any SensorDelegate)?
}

final class Thermostat: SensorDelegate {
  let sensor: Sensor

  init(sensor: Sensor) {
    self.sensor = sensor
    sensor.sensorDelegate = self
  }
}

@inline(never) @_optimize(none)
func plantWeakDelegateMissing() {
  let sensor = Sensor()
  use(Thermostat(sensor: sensor))
}

final class ListNode {
  var next: ListNode?
  var previous: ListNode?
}

@inline(never) @_optimize(none)
func plantLinkedNodes() {
  let first = ListNode()
  let second = ListNode()
  first.next = second
  second.previous = first
}

final class Sender {
  var onSend: (() -> Void)?
}

final class Receiver {
  var onReceive: (() -> Void)?
}

/// Either closure is as likely a mistake as the other.
@inline(never) @_optimize(none)
func plantHandlersOfBoth() {
  let sender = Sender()
  let receiver = Receiver()
  sender.onSend = { use(receiver) }
  receiver.onReceive = { use(sender) }
}

final class FieldWorker {
  var job: FieldJob?
}

final class FieldJob {
  var finish: (() -> Void)?
}

/// Who owns the worker cannot be seen: the closure may be its only owner.
@inline(never) @_optimize(none)
func plantCapturedHelper() {
  let worker = FieldWorker()
  let job = FieldJob()
  worker.job = job
  job.finish = { use(worker) }
}

final class TreeNode<Value> {
  var value: Value
  var children: [TreeNode<Value>] = []
  var up: TreeNode<Value>?

  init(_ value: Value) { self.value = value }
}

@inline(never) @_optimize(none)
func plantGenericParent() {
  let root = TreeNode(1)
  let leaf = TreeNode(2)
  root.children.append(leaf)
  leaf.up = root
}

class PageElement {
  // var parent: PageElement? in a comment is no declaration.
  var parent: PageBody?
}

final class PageText: PageElement {}

final class PageBody {
  var text: PageText?
}

@inline(never) @_optimize(none)
func plantParentInSuperclass() {
  let body = PageBody()
  let text = PageText()
  body.text = text
  text.parent = body
}

/// The reference back is in a struct of the element.
final class Chapter {
  struct Link {
    var weight = 1
    var chapter: Chapter?
  }

  var chapters: [Chapter] = []
  var link = Link()

  @inline(never)
  func add(_ chapter: Chapter) {
    chapters.append(chapter)
    chapter.link.chapter = self
  }
}

@inline(never) @_optimize(none)
func plantLinkInStruct() {
  let chapter = Chapter()
  chapter.add(Chapter())
}

@Observable
final class Mixer: @unchecked Sendable {
  var volume = 0

  @inline(never)
  func watch() {
    withObservationTracking {
      use(volume)
    } onChange: {
      use(self)
    }
  }
}

/// The observation's own storage refers to itself, which the model's end undoes.
@inline(never) @_optimize(none)
func plantObservedItself() {
  Mixer().watch()
}

/// The model is gone before it changes.
@inline(never) @_optimize(none)
func plantObservedWeakly() {
  let mixer = Mixer()
  withObservationTracking {
    use(mixer.volume)
  } onChange: { [weak mixer] in
    use(mixer)
  }
}

/// The item is not known yet where its block captures it.
@inline(never) @_optimize(none)
func plantWorkItemItself() {
  var item: DispatchWorkItem?
  item = DispatchWorkItem {
    if item?.isCancelled == true { return }
  }
  item?.perform()
}
