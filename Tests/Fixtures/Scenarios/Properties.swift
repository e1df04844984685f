// Cycles through properties with wrappers, observers and other features.

import Observation
import Synchronization

extension Scenario {
  static let properties = [
    Scenario("lazyObject", plantLazyObject),
    Scenario("propertyWrapper", plantPropertyWrapper),
    Scenario("observable", plantObservable),
    Scenario("mutexState", plantMutexState),
    Scenario("privateProperty", plantPrivateProperty),
    Scenario("unownedBeside", plantUnownedBeside),
    Scenario("implicitlyUnwrapped", plantImplicitlyUnwrapped),
    Scenario("managedBuffer", plantManagedBuffer),
    Scenario("noncopyable", plantNoncopyable),
    Scenario("noncopyableInGeneric", plantNoncopyableInGeneric),
  ]
}

final class Page {
  lazy var toolbar = Toolbar(page: self)
}
final class Toolbar {
  let page: Page
  init(page: Page) { self.page = page }
}

@inline(never) @_optimize(none)
func plantLazyObject() {
  let page = Page()
  use(page.toolbar)
}

@propertyWrapper
struct Logged<Value> {
  private var value: Value
  private var changes = 0

  var wrappedValue: Value {
    get { value }
    set {
      value = newValue
      changes += 1
    }
  }

  init(wrappedValue: Value) { value = wrappedValue }
}

final class Form {
  @Logged var field: Field?
}
final class Field {
  var form: Form?
}

@inline(never) @_optimize(none)
func plantPropertyWrapper() {
  let form = Form()
  form.field = Field()
  form.field?.form = form
}

@Observable
final class Model {
  var onSave: (() -> Void)?
  var saves = 0

  func start() {
    onSave = { self.saves += 1 }
  }
}

@inline(never) @_optimize(none)
func plantObservable() {
  let model = Model()
  model.start()
}

final class Registry: Sendable {
  struct State {
    var generation = 0
    var owner: Registry?
  }
  let state = Mutex(State())

  func start() {
    state.withLock { $0.owner = self }
  }
}

@inline(never) @_optimize(none)
func plantMutexState() {
  let registry = Registry()
  registry.start()
}

final class Vault {
  private var key: Key?

  private final class Key {
    var vault: Vault?
  }

  func lock() {
    key = Key()
    key?.vault = self
  }
}

@inline(never) @_optimize(none)
func plantPrivateProperty() {
  let vault = Vault()
  vault.lock()
}

final class Document {
  weak var weakSelf: Document?
  unowned var unownedSelf: Document?
  unowned(unsafe) var unsafeSelf: Document?
  var unmanagedSelf: Unmanaged<Document>?
  var window: Window?
}
final class Window {
  var document: Document?
}

/// Weak and unowned references next to a strong one.
@inline(never) @_optimize(none)
func plantUnownedBeside() {
  let document = Document()
  document.weakSelf = document
  document.unownedSelf = document
  document.unsafeSelf = document
  document.unmanagedSelf = .passUnretained(document)
  document.window = Window()
  document.window?.document = document
}

final class Controller {
  var view: View!
}
final class View {
  var controller: Controller!
}

@inline(never) @_optimize(none)
func plantImplicitlyUnwrapped() {
  let controller = Controller()
  controller.view = View()
  controller.view.controller = controller
}

struct RingHeader {
  var count = 0
  var owner: Ring?
}
final class RingBuffer: ManagedBuffer<RingHeader, Int> {}
final class Ring {
  let buffer: ManagedBuffer<RingHeader, Int>

  init() {
    buffer = RingBuffer.create(minimumCapacity: 4) { _ in RingHeader() }
  }

  func start() { buffer.header.owner = self }
}

@inline(never) @_optimize(none)
func plantManagedBuffer() {
  let ring = Ring()
  ring.start()
}

struct Lease: ~Copyable {
  var tenant: Tenant
  var months = 12
}
final class Tenant {
  var house: House?
}
final class House {
  let lease: Lease
  init(_ tenant: Tenant) { lease = Lease(tenant: tenant) }
}

@inline(never) @_optimize(none)
func plantNoncopyable() {
  let tenant = Tenant()
  tenant.house = House(tenant)
}

struct Policy: ~Copyable {
  var owner: Library<Int>?
}
final class Library<Book: Hashable> {
  let visits = Atomic(0)
  let lent = Mutex<[Book]>([])
  var policy = Policy()
}

/// The names of the properties' types begin with the signature of the generic class.
@inline(never) @_optimize(none)
func plantNoncopyableInGeneric() {
  let library = Library<Int>()
  library.policy.owner = library
}
