import FixtureSupport

class Item {
  var values: [String: Any] = [:]
  var others: [Item] = []
  weak var peer: Item?
  var action: (() -> Int)?
}

final class Special<Value>: Item {
  var value: Value
  init(_ value: Value) { self.value = value }
}

struct Wrapped<Value> { var value: Value }

enum Failure: Error, @unchecked Sendable { case item(Item) }

/// Instantiates new generic types, so that the runtime allocates metadata and takes locks.
func nest<Value>(_ value: Value, levels: Int) -> Item {
  levels == 0 ? Special(value) : nest(Wrapped(value: value), levels: levels - 1)
}

/// Objects of many types that are changed and freed all the time.
func churn(_ round: Int) -> Int {
  let item = Item()
  let nested = nest(round, levels: round % 12)
  item.values = ["number": [round: "text \(round)"], "nested": nested]
  item.others = [item, nested]
  item.peer = nested
  item.action = { item.values.count }
  nested.action = { [weak item] in item?.others.count ?? 0 }
  do {
    if round % 3 == 0 { throw Failure.item(nested) }
  } catch {
    item.values["error"] = error
  }
  let result = (item.values["nested"] as? Item)?.action?() ?? 0
  item.others = []
  item.action = nil
  return result
}

/// Churns until it is stopped.
struct Churning: Sendable {
  static let isOver = Locked(false)
  var seed: Int

  func run() {
    var kept: [Item] = []
    var round = seed
    while !Self.isOver.withLock({ $0 }) {
      round += 1
      _ = churn(round)
      kept.append(nest(round, levels: round % 5))
      if kept.count > 200 { kept.removeAll() }
      if round % 100 == 0 { Task { await Task.yield() } }
    }
  }
}
