// Cycles through existentials and other values of dynamic type.

extension Scenario {
  static let existentials = [
    Scenario("classExistential", plantClassExistential),
    Scenario("anyObject", plantAnyObject),
    Scenario("inlineExistential", plantInlineExistential),
    Scenario("boxedExistential", plantBoxedExistential),
    Scenario("any", plantAny),
    Scenario("arrayOfExistentials", plantArrayOfExistentials),
    Scenario("dictionaryOfAny", plantDictionaryOfAny),
    Scenario("parameterizedExistential", plantParameterizedExistential),
    Scenario("composition", plantComposition),
    Scenario("typeErasure", plantTypeErasure),
  ]
}

protocol Plugin<Output> {
  associatedtype Output
  var host: Host? { get }
}

protocol Observer: AnyObject {}
protocol Named {}

final class Host {
  var observer: (any Observer)?
  var object: AnyObject?
  var plugin: (any Plugin)?
  var anything: Any?
  var plugins: [any Plugin] = []
  var userInfo: [String: Any] = [:]
  var integers: (any Plugin<Int>)?
  var both: (any Observer & Named)?
}

final class Watcher: Observer, Named {
  var host: Host?
  init(_ host: Host) { self.host = host }
}

/// Small enough for an existential's inline buffer.
struct SmallPlugin: Plugin {
  typealias Output = Int
  var number = 0
  var host: Host?
}

/// Too large for it.
struct LargePlugin: Plugin {
  typealias Output = String
  var numbers = (1, 2, 3, 4)
  var host: Host?
}

@inline(never) @_optimize(none)
func plantClassExistential() {
  let host = Host()
  host.observer = Watcher(host)
}

@inline(never) @_optimize(none)
func plantAnyObject() {
  let host = Host()
  host.object = Watcher(host)
}

@inline(never) @_optimize(none)
func plantInlineExistential() {
  let host = Host()
  host.plugin = SmallPlugin(host: host)
}

@inline(never) @_optimize(none)
func plantBoxedExistential() {
  let host = Host()
  host.plugin = LargePlugin(host: host)
}

@inline(never) @_optimize(none)
func plantAny() {
  let host = Host()
  host.anything = LargePlugin(host: host)
}

@inline(never) @_optimize(none)
func plantArrayOfExistentials() {
  let host = Host()
  host.plugins = [SmallPlugin(), LargePlugin(host: host)]
}

@inline(never) @_optimize(none)
func plantDictionaryOfAny() {
  let host = Host()
  host.userInfo["watcher"] = Watcher(host)
}

@inline(never) @_optimize(none)
func plantParameterizedExistential() {
  let host = Host()
  host.integers = SmallPlugin(host: host)
}

@inline(never) @_optimize(none)
func plantComposition() {
  let host = Host()
  host.both = Watcher(host)
}

/// A common type eraser: an abstract box with a subclass for each type.
class AnyStorage {
  func output() {}
}
final class ConcreteStorage<Wrapped>: AnyStorage {
  let wrapped: Wrapped
  init(_ wrapped: Wrapped) { self.wrapped = wrapped }
  override func output() { use(wrapped) }
}
struct AnyOutput {
  private let storage: AnyStorage
  init<Wrapped>(_ wrapped: Wrapped) { storage = ConcreteStorage(wrapped) }
}
final class Presenter {
  var output: AnyOutput?
}

@inline(never) @_optimize(none)
func plantTypeErasure() {
  let presenter = Presenter()
  presenter.output = AnyOutput(presenter)
}
