// Cycles of objects that hold one another directly.

extension Scenario {
  static let objects = [
    Scenario("twoObjects", plantTwoObjects),
    Scenario("threeObjects", plantThreeObjects),
    Scenario("twoCyclesOfOneKind", plantTwoCyclesOfOneKind),
    Scenario("cycleWithVictims", plantCycleWithVictims),
    Scenario("figureEight", plantFigureEight),
    Scenario("itself", plantItself),
    Scenario("inheritedProperty", plantInheritedProperty),
    Scenario("genericClass", plantGenericClass),
    Scenario("genericSuperclass", plantGenericSuperclass),
    Scenario("localType", plantLocalType),
    Scenario("nestedGenerics", plantNestedGenerics),
  ]
}

final class Author {
  var book: Book?
}
final class Book {
  var author: Author?
}

@inline(never) @_optimize(none)
func plantTwoObjects() {
  let author = Author()
  let book = Book()
  author.book = book
  book.author = author
}

final class Album {
  var band: Band?
}
final class Band {
  var city: City?
}
final class City {
  var favourite: Album?
}

@inline(never) @_optimize(none)
func plantThreeObjects() {
  let album = Album()
  let band = Band()
  let city = City()
  album.band = band
  band.city = city
  city.favourite = album
}

@inline(never) @_optimize(none)
func plantTwoCyclesOfOneKind() {
  plantTwoObjects()
  plantTwoObjects()
}

final class Engine {
  var car: Vehicle?
  let cylinders = [Cylinder(), Cylinder(), Cylinder()]
}
final class Cylinder {
  let valve = Valve()
}
final class Valve {}
class Vehicle {
  var engine: Engine?
}

/// Only leaked objects hold cylinders and valves.
@inline(never) @_optimize(none)
func plantCycleWithVictims() {
  let vehicle = Vehicle()
  let engine = Engine()
  vehicle.engine = engine
  engine.car = vehicle
}

final class Hub {
  var left: Spoke?
  var right: Spoke?
}
final class Spoke {
  var hub: Hub?
}

/// Two cycles through one object are one group.
@inline(never) @_optimize(none)
func plantFigureEight() {
  let hub = Hub()
  hub.left = Spoke()
  hub.right = Spoke()
  hub.left?.hub = hub
  hub.right?.hub = hub
}

final class Singleton {
  var itself: Singleton?
}

@inline(never) @_optimize(none)
func plantItself() {
  let singleton = Singleton()
  singleton.itself = singleton
}

final class Truck: Vehicle {
  var load = "sand"
}

@inline(never) @_optimize(none)
func plantInheritedProperty() {
  let truck = Truck()
  let engine = Engine()
  truck.engine = engine
  engine.car = truck
}

final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
final class Boxed {
  var box: Box<Boxed>?
}

@inline(never) @_optimize(none)
func plantGenericClass() {
  let boxed = Boxed()
  boxed.box = Box(boxed)
}

class Store<Key, Value> {
  var key: Key?
  var value: Value?
}
final class Session: Store<String, Session.User> {
  final class User {
    var session: Session?
  }
}

@inline(never) @_optimize(none)
func plantGenericSuperclass() {
  let session = Session()
  session.value = Session.User()
  session.value?.session = session
}

@inline(never) @_optimize(none)
func plantLocalType() {
  final class Local {
    var next: Local?
  }
  let local = Local()
  local.next = Local()
  local.next?.next = local
}

struct Layer<Value> {
  var value: Value
}
final class Deep<Value> {
  var value: Value
  var itself: Deep?
  init(_ value: Value) { self.value = value }
}

/// A type of 200 levels, which exists only at run time.
@inline(never) @_optimize(none)
func plantNested<Value>(_ value: Value, levels: Int) {
  guard levels == 0 else { return plantNested(Layer(value: value), levels: levels - 1) }
  let deep = Deep(value)
  deep.itself = deep
}

@inline(never) @_optimize(none)
func plantNestedGenerics() {
  plantNested(Valve(), levels: 200)
}
