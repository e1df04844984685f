// Cycles through values: structs, enums, tuples, results, errors.

extension Scenario {
  static let values = [
    Scenario("structField", plantStructField),
    Scenario("nestedStruct", plantNestedStruct),
    Scenario("optionalStruct", plantOptionalStruct),
    Scenario("tuple", plantTuple),
    Scenario("enumSingle", plantEnumSingle),
    Scenario("enumMulti", plantEnumMulti),
    Scenario("enumIndirect", plantEnumIndirect),
    Scenario("enumPayloadStruct", plantEnumPayloadStruct),
    Scenario("enumClosure", plantEnumClosure),
    Scenario("result", plantResult),
    Scenario("error", plantError),
    Scenario("optionalOptional", plantOptionalOptional),
  ]
}

struct Cell {
  var row = 0
  var table: Table?
}
final class Table {
  var cell = Cell()
}

@inline(never) @_optimize(none)
func plantStructField() {
  let table = Table()
  table.cell.table = table
}

struct Outer {
  struct Inner {
    var padding = (0, 0)
    var ref: Nesting?
  }
  var padding = 0
  var inner = Inner()
}
final class Nesting {
  var outer = Outer()
}

@inline(never) @_optimize(none)
func plantNestedStruct() {
  let nesting = Nesting()
  nesting.outer.inner.ref = nesting
}

struct Selection {
  var start = 0
  var end = 0
  var editor: Editor
}
final class Editor {
  var selection: Selection?
}

@inline(never) @_optimize(none)
func plantOptionalStruct() {
  let editor = Editor()
  editor.selection = Selection(editor: editor)
}

final class Pair {
  var both: (number: Int, other: Pair?) = (0, nil)
  var plain: (Int, Pair?) = (0, nil)
}

@inline(never) @_optimize(none)
func plantTuple() {
  let first = Pair()
  let second = Pair()
  first.both.other = second
  second.plain.1 = first
}

enum Phase {
  case idle
  case busy(Machine)
}
final class Machine {
  var phase = Phase.idle
}

@inline(never) @_optimize(none)
func plantEnumSingle() {
  let machine = Machine()
  machine.phase = .busy(machine)
}

enum Content {
  case none
  case text(String)
  case numbers([Int], scale: Double)
  case shape(Shape, index: Int)
}
final class Shape {
  var content = Content.none
}

@inline(never) @_optimize(none)
func plantEnumMulti() {
  let shape = Shape()
  shape.content = .shape(shape, index: 3)
}

indirect enum Expression {
  case number(Int)
  case variable(Scope)
  case sum(Expression, Expression)
}
final class Scope {
  var value = Expression.number(0)
}

@inline(never) @_optimize(none)
func plantEnumIndirect() {
  let scope = Scope()
  scope.value = .sum(.number(1), .variable(scope))
}

struct Request {
  var number: Int
  var owner: Channel
}
enum ChannelState {
  case closed(reason: String)
  case open(Request)
  case waiting(Request, [Int])
}
final class Channel {
  var state = ChannelState.closed(reason: "new")
}

@inline(never) @_optimize(none)
func plantEnumPayloadStruct() {
  let channel = Channel()
  channel.state = .open(Request(number: 1, owner: channel))
}

enum Action {
  case nothing
  case perform(() -> Void, name: String)
}
final class MenuItem {
  var action = Action.nothing
  var count = 0

  func connect() {
    action = .perform({ self.count += 1 }, name: "count")
  }
}

@inline(never) @_optimize(none)
func plantEnumClosure() {
  let item = MenuItem()
  item.connect()
}

/// `@unchecked Sendable`: one thread uses it.
struct Failure: Error, @unchecked Sendable {
  var operation: Operation
  var code = 0
}
final class Operation {
  var result: Result<Int, Failure>?
  var lastError: (any Error)?
}

@inline(never) @_optimize(none)
func plantResult() {
  let operation = Operation()
  operation.result = .failure(Failure(operation: operation))
}

@inline(never) @_optimize(none)
func plantError() {
  let operation = Operation()
  operation.lastError = Failure(operation: operation)
}

final class Cache {
  var entry: Cache?? = .some(nil)
}

@inline(never) @_optimize(none)
func plantOptionalOptional() {
  let cache = Cache()
  cache.entry = cache
}
