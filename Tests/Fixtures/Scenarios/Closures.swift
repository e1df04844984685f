// Cycles through closures of less usual kinds.

extension Scenario {
  static let closures = [
    Scenario("nestedClosures", plantNestedClosures),
    Scenario("methodReference", plantMethodReference),
    Scenario("methodInTable", plantMethodInTable),
    Scenario("genericClosure", plantGenericClosure),
    Scenario("genericFunction", plantGenericFunction),
    Scenario("keyPathArgument", plantKeyPathArgument),
    Scenario("closureArray", plantClosureArray),
    Scenario("closureStruct", plantClosureStruct),
    Scenario("unownedInsideCycle", plantUnownedInsideCycle),
    Scenario("weakCaptureBesideStrong", plantWeakCaptureBesideStrong),
    Scenario("localFunction", plantLocalFunction),
    Scenario("asyncClosure", plantAsyncClosure),
    Scenario("autoclosure", plantAutoclosure),
    Scenario("isolatedFunction", plantIsolatedFunction),
    Scenario("genericArguments", plantGenericArguments),
  ]
}

final class Pipeline {
  var run: (() -> Void)?
  var runs = 0

  func compose(_ step: Int) {
    let inner = { self.runs += step }
    run = {
      inner()
      inner()
    }
  }
}

@inline(never) @_optimize(none)
func plantNestedClosures() {
  let pipeline = Pipeline()
  pipeline.compose(2)
}

final class Button {
  var action: ((Int) -> Void)?
  var clicks = 0

  func connect() { action = click(times:) }
  func click(times: Int) { clicks += times }
}

@inline(never) @_optimize(none)
func plantMethodReference() {
  let button = Button()
  button.connect()
}

/// The type of the function repeats a standard type, which its mangled name abbreviates.
final class Switchboard {
  var lines: [String: (String) -> String] = [:]

  func connect() { lines["home"] = answer }
  func answer(_ call: String) -> String { "\(call) \(lines.count)" }
}

@inline(never) @_optimize(none)
func plantMethodInTable() {
  let switchboard = Switchboard()
  switchboard.connect()
}

final class Mapper {
  var map: ((Int) -> String)?

  @inline(never)
  func install<Value>(_ value: Value, _ seed: Int) {
    map = { number in
      use(self)
      return "\(value) \(seed + number)"
    }
  }
}

@inline(never) @_optimize(none)
func plantGenericClosure() {
  let mapper = Mapper()
  mapper.install("text", 4)
}

final class Holder<Value> {
  var value: Value?
}

@inline(never)
func retainItself<Value: AnyObject>(_ holder: Holder<() -> Void>, beside value: Value, _ array: [Value]) {
  holder.value = {
    use(holder)
    use(value)
    use(array)
  }
}

/// A property of generic function type, and a closure of a generic function that captures generic values.
@inline(never) @_optimize(none)
func plantGenericFunction() {
  let holder = Holder<() -> Void>()
  let button = Button()
  retainItself(holder, beside: button, [button])
}

final class Column {
  var path: KeyPath<Sheet, Int>?
}

final class Sheet {
  let column = Column()
  var numbers = [Reference(): 3]

  subscript(reference: Reference) -> Int { numbers[reference] ?? 0 }

  func select() {
    column.path = \Sheet[Reference(sheet: self)]
  }
}

struct Reference: Hashable {
  var sheet: Sheet?

  static func == (a: Reference, b: Reference) -> Bool { a.sheet === b.sheet }
  func hash(into hasher: inout Hasher) {
    hasher.combine(sheet.map { ObjectIdentifier($0) })
  }
}

/// A key path holds the arguments of its subscripts.
@inline(never) @_optimize(none)
func plantKeyPathArgument() {
  let sheet = Sheet()
  sheet.select()
}

final class Emitter {
  var listeners: [(String) -> Void] = []
  var log = ""

  func listen() {
    listeners.append { self.log += $0 }
  }
}

@inline(never) @_optimize(none)
func plantClosureArray() {
  let emitter = Emitter()
  emitter.listen()
}

struct Hooks {
  var willStart: (() -> Void)?
  var didStop: (() -> Void)?
}

final class Service {
  var hooks = Hooks()
  var isOn = false

  func install() {
    hooks.didStop = { self.isOn = false }
  }
}

@inline(never) @_optimize(none)
func plantClosureStruct() {
  let service = Service()
  service.install()
}

final class Parser {
  var onError: ((String) -> Void)?
  let lexer: Lexer

  init() {
    lexer = Lexer()
    lexer.parser = self
  }

  func start() {
    onError = { text in self.lexer.report(text) }
  }
}

final class Lexer {
  unowned var parser: Parser!
  func report(_ text: String) { use(parser) }
}

@inline(never) @_optimize(none)
func plantUnownedInsideCycle() {
  let parser = Parser()
  parser.start()
}

final class Player {
  var onEnd: (() -> Void)?
  var onStart: (() -> Void)?
  var plays = 0

  func start() {
    let number = plays
    onStart = { [weak self] in self?.plays += number }
    onEnd = { self.plays -= number }
  }
}

@inline(never) @_optimize(none)
func plantWeakCaptureBesideStrong() {
  let player = Player()
  player.start()
}

final class Retry {
  var attempt: (() -> Void)?
  var attempts = 0

  func start() {
    func again() {
      attempts += 1
      attempt = again
    }
    again()
  }
}

@inline(never) @_optimize(none)
func plantLocalFunction() {
  let retry = Retry()
  retry.start()
}

final class Fetcher {
  var fetch: (() async throws -> String)?
  var cached = "cached"

  func start(_ suffix: String) {
    fetch = { self.cached + suffix }
  }
}

@inline(never) @_optimize(none)
func plantAsyncClosure() {
  let fetcher = Fetcher()
  fetcher.start(".")
}

final class Checker {
  var condition: (() -> Bool)?
  var isRight = true

  func check(_ condition: @autoclosure @escaping () -> Bool) { self.condition = condition }
  func start() { check(self.isRight) }
}

@inline(never) @_optimize(none)
func plantAutoclosure() {
  let checker = Checker()
  checker.start()
}

actor Ledger {}
final class Entry {
  var write: (() -> Void)?
  var writes = 0

  func start(_ step: Int) {
    nonisolated(unsafe) let entry = self
    let append: (isolated Ledger, Int) -> Void = { entry.writes += $1 }
    write = {
      use(append)
      use(step)
    }
  }
}

@inline(never) @_optimize(none)
func plantIsolatedFunction() {
  let entry = Entry()
  entry.start(1)
}

final class Shelf<Item> {
  var reload: (() -> Void)?
  var items: [Item] = []

  func load(_ new: [Item]) {
    reload = {
      use(new)
      self.items.removeAll()
    }
  }
}

/// Captures before `self` whose types contain the parameter.
@inline(never) @_optimize(none)
func plantGenericArguments() {
  let shelf = Shelf<Int>()
  shelf.load([1])
}
