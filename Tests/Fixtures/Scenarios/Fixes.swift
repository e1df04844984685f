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
    Scenario("handlerInOwnPart", plantHandlerInOwnPart),
    Scenario("helperInClosures", plantHelperInClosures),
    Scenario("recursiveClosure", plantRecursiveClosure),
    Scenario("structOnTwoPaths", plantStructOnTwoPaths),
    Scenario("structInDictionary", plantStructInDictionary),
    Scenario("openProtocol", plantOpenProtocol),
    Scenario("addsItself", plantAddsItself),
    Scenario("capturedPart", plantCapturedPart),
    Scenario("parameterPack", plantParameterPack),
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

/// The panel's reference is the only one to its key pad.
final class KeyPad {
  var handlers: [String: () -> Void] = [:]
}

final class Panel {
  let keys = KeyPad()

  @inline(never)
  func wire() { keys.handlers["enter"] = { use(self) } }
}

@inline(never) @_optimize(none)
func plantHandlerInOwnPart() {
  let panel = Panel()
  panel.wire()
}

final class Memo {
  var known: [Int: Int] = [:]
  var next: ((Int) -> Int)?
}

/// The closure that it returns is the memo's only owner.
@inline(never) @_optimize(none)
func memoized(_ step: @escaping (Int) -> Int) -> (Int) -> Int {
  let memo = Memo()
  let function = { (number: Int) in memo.known[number] ?? step(number) }
  memo.next = function
  return function
}

@inline(never) @_optimize(none)
func plantHelperInClosures() { use(memoized { $0 }(2)) }

@inline(never) @_optimize(none)
func countDown(from start: Int) -> Int {
  var left = start
  var step: (() -> Int)?
  step = {
    left -= 1
    return left > 0 ? step?() ?? 0 : left
  }
  return step?() ?? 0
}

/// A variable of a function cannot be weak.
@inline(never) @_optimize(none)
func plantRecursiveClosure() { use(countDown(from: 2)) }

struct RouteEdge {
  var origin: RouteMap?
  var weight = 1
}

/// The one property of the struct closes both cycles.
final class RouteMap {
  var first: RouteEdge?
  var others: [RouteEdge] = []
}

@inline(never) @_optimize(none)
func plantStructOnTwoPaths() {
  let map = RouteMap()
  map.first = RouteEdge(origin: map)
  map.others = [RouteEdge(origin: map)]
}

struct Turn {
  let counter: TurnCounter
}

final class TurnCounter {
  var tickets: [Int: Turn] = [:]
}

@inline(never) @_optimize(none)
func plantStructInDictionary() {
  let counter = TurnCounter()
  counter.tickets[1] = Turn(counter: counter)
}

/// Values of any type may conform to it.
protocol GridSource {}

final class Grid {
  var dataSource: (any GridSource)?
}

final class GridPage: GridSource {
  let grid = Grid()
}

@inline(never) @_optimize(none)
func plantOpenProtocol() {
  let page = GridPage()
  page.grid.dataSource = page
}

final class Roster {
  var members: [AnyObject] = []
}

/// It needs its roster, which cannot refer to it weakly.
final class Member {
  let roster = Roster()

  @inline(never)
  func join() { roster.members.append(self) }
}

@inline(never) @_optimize(none)
func plantAddsItself() {
  let member = Member()
  member.join()
}

struct Stage {
  var source: StageSource
  var test: (Int) -> Bool

  @inline(never) @_optimize(none)
  func adding(_ more: @escaping (Int) -> Bool) -> (Int) -> Bool {
    { test($0) && more($0) }
  }
}

final class StageSource {
  var check: ((Int) -> Bool)?
}

/// The closure needs a part of the struct, and captures all of it.
@inline(never) @_optimize(none)
func plantCapturedPart() {
  let source = StageSource()
  source.check = Stage(source: source) { $0 > 0 }.adding { $0 < 9 }
}

struct Callbacks<each Input> {
  var all: (repeat (each Input) -> Void)

  init(_ all: repeat @escaping (each Input) -> Void) { self.all = (repeat each all) }
}

/// The runtime does not say what lies in a pack.
final class Recorder {
  var callbacks: Callbacks<Int, String>?

  @inline(never) @_optimize(none)
  func start() { callbacks = Callbacks({ _ in use(self) }, { _ in }) }
}

@inline(never) @_optimize(none)
func plantParameterPack() {
  let recorder = Recorder()
  recorder.start()
}
