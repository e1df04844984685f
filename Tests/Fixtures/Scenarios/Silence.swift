// Programs without survivors, or whose survivors are no leaks.

import Foundation

extension Scenario {
  static let silence = [
    Scenario("nothing", plantNothing),
    Scenario("lazyMachinery", plantLazyMachinery),
    Scenario("weakBackReference", plantWeakBackReference),
    Scenario("unownedBackReference", plantUnownedBackReference),
    Scenario("sideTable", plantSideTable),
    Scenario("weakCapture", plantWeakCapture),
    Scenario("unownedCapture", plantUnownedCapture),
    Scenario("brokenByHand", plantBrokenByHand),
    Scenario("diamond", plantDiamond),
    Scenario("keyPaths", plantKeyPaths),
    Scenario("metatypes", plantMetatypes),
    Scenario("mirrors", plantMirrors),
    Scenario("bridging", plantBridging),
    Scenario("observedWeakly", plantObservedWeakly),
  ]
}

@inline(never) @_optimize(none)
func plantNothing() {}

struct Person: Codable {
  var name: String
  var born: Date
}

/// The first use of libraries that allocate their tables once and keep them.
@inline(never) @_optimize(none)
func plantLazyMachinery() {
  let person = Person(name: "Ada", born: Date(timeIntervalSince1970: 0))
  let json = try? JSONEncoder().encode(person)
  use(try? JSONDecoder().decode(Person.self, from: json ?? Data()))
  use(DateFormatter().string(from: person.born))
  use(Calendar.current.dateComponents([.year], from: person.born))
  use("2026-11-21".firstMatch(of: /(\d+)-(\d+)/))
  use(try? NSRegularExpression(pattern: "[a-z]+"))
  use(NumberFormatter().string(from: 3.5))
  use(Locale.current)
  use(URLComponents(string: "https://example.com/a?b=c"))
}

final class Tree {
  var children: [Leaf] = []
}
final class Leaf {
  weak var tree: Tree?
}

@inline(never) @_optimize(none)
func plantWeakBackReference() {
  let tree = Tree()
  tree.children = [Leaf(), Leaf()]
  for leaf in tree.children { leaf.tree = tree }
}

final class Customer {
  var card: Card?
}
final class Card {
  unowned let customer: Customer
  init(_ customer: Customer) { self.customer = customer }
}

@inline(never) @_optimize(none)
func plantUnownedBackReference() {
  let customer = Customer()
  customer.card = Card(customer)
}

final class WeakBox {
  weak var leaf: Leaf?
}

nonisolated(unsafe) var weakBox: WeakBox?

/// The weak reference keeps its side table; the object is deallocated.
@inline(never) @_optimize(none)
func plantSideTable() {
  let leaf = Leaf()
  weakBox = WeakBox()
  weakBox?.leaf = leaf
}

@inline(never) @_optimize(none)
func plantWeakCapture() {
  let screen = Screen()
  screen.handler = { [weak screen] in screen?.doNothing() }
}

@inline(never) @_optimize(none)
func plantUnownedCapture() {
  let screen = Screen()
  screen.handler = { [unowned screen] in screen.doNothing() }
}

@inline(never) @_optimize(none)
func plantBrokenByHand() {
  let author = Author()
  author.book = Book()
  author.book?.author = author
  author.book = nil
}

@inline(never) @_optimize(none)
func plantDiamond() {
  let other = diamond
  plantSharedDiamond()
  diamond = other
  let bottom = Bottom()
  use([bottom, bottom])
}

struct Point {
  var x = 1.0
  var y = 2.0
}

@inline(never) @_optimize(none)
func plantKeyPaths() {
  let points = [Point(), Point()]
  use(points.map(\.x))
  use((\Point.x as AnyKeyPath).hashValue)
  use((\[Point].first).appending(path: \.?.y))
}

@inline(never) @_optimize(none)
func plantMetatypes() {
  let types: [any Any.Type] = [Point.self, Tree.self, [Point].self, (Int, Tree).self]
  use(types.map { String(describing: $0) })
}

@inline(never) @_optimize(none)
func plantMirrors() {
  let tree = Tree()
  tree.children = [Leaf()]
  use(Mirror(reflecting: tree).children.map { "\($0)" })
  use(String(reflecting: Point()))
}

@inline(never) @_optimize(none)
func plantBridging() {
  let string = NSString(string: String(repeating: "ä", count: 100))
  use(string.appending("!") as String)
  use(NSArray(array: [1, 2, 3]) as? [Int])
  use(["a": 1] as NSDictionary)
}
