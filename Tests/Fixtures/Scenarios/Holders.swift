// Held objects: no leaks, and the holder has a name.

extension Scenario {
  static let holders = [
    Scenario("callbackList", plantCallbackList),
    Scenario("boundedCache", plantBoundedCache),
    Scenario("globalVariable", plantGlobalVariable),
    Scenario("globalArray", plantGlobalArray),
    Scenario("sharedDiamond", plantSharedDiamond),
    Scenario("heldCycle", plantHeldCycle),
    Scenario("retainedPointer", plantRetainedPointer),
    Scenario("retainedAddress", plantRetainedAddress),
    Scenario("rawStorage", plantRawStorage),
    Scenario("pointerBesideUnknown", plantPointerBesideUnknown),
    Scenario("metatypeInTuple", plantMetatypeInTuple),
    Scenario("emptyPack", plantEmptyPack),
  ]
}

/// `@unchecked Sendable`: one thread uses it.
final class EventBus: @unchecked Sendable {
  static let shared = EventBus()
  var callbacks: [() -> Void] = []

  func once(_ callback: @escaping () -> Void) { callbacks.append(callback) }
}

final class Toast {
  var shows = 0

  func present(_ count: Int) {
    EventBus.shared.once { self.shows += count }
  }
}

/// One closure more with every call, and none is ever removed.
@inline(never) @_optimize(none)
func plantCallbackList() {
  for count in 0..<10 { Toast().present(count) }
}

final class Thumbnail {
  var pixels = (0, 0, 0, 0)
}

enum Thumbnails {
  nonisolated(unsafe) static var cache: [Int: Thumbnail] = [:]

  static func thumbnail(_ number: Int) -> Thumbnail {
    if let known = cache[number % 8] { return known }
    let made = Thumbnail()
    cache[number % 8] = made
    return made
  }
}

@inline(never) @_optimize(none)
func plantBoundedCache() {
  for number in 0..<100 { use(Thumbnails.thumbnail(number)) }
}

final class Settings {
  var theme = Theme()
}
final class Theme {
  var name = "dark"
}

nonisolated(unsafe) var currentSettings: Settings?
nonisolated(unsafe) var history: [Theme] = []

@inline(never) @_optimize(none)
func plantGlobalVariable() {
  currentSettings = Settings()
}

@inline(never) @_optimize(none)
func plantGlobalArray() {
  for _ in 0..<5 { history.append(Theme()) }
}

final class Top {
  var left: Side?
  var right: Side?
}
final class Side {
  var bottom: Bottom?
}
final class Bottom {}

nonisolated(unsafe) var diamond: Top?

/// An object on two paths is counted once.
@inline(never) @_optimize(none)
func plantSharedDiamond() {
  let bottom = Bottom()
  let top = Top()
  top.left = Side()
  top.right = Side()
  top.left?.bottom = bottom
  top.right?.bottom = bottom
  diamond = top
}

nonisolated(unsafe) var heldAuthor: Author?

/// A cycle that is no leak, because it is reachable.
@inline(never) @_optimize(none)
func plantHeldCycle() {
  let author = Author()
  author.book = Book()
  author.book?.author = author
  heldAuthor = author
}

/// Holds a retained object by a plain pointer, as code that calls C does.
final class Callout {
  let pointer: UnsafeMutableRawPointer

  init(_ handle: Handle) { pointer = Unmanaged.passRetained(handle).toOpaque() }
}

nonisolated(unsafe) var callout: Callout?

@inline(never) @_optimize(none)
func plantRetainedPointer() {
  callout = Callout(Handle())
}

nonisolated(unsafe) var addresses: [UInt] = []

@inline(never) @_optimize(none)
func plantRetainedAddress() {
  addresses.append(UInt(bitPattern: Unmanaged.passRetained(Handle()).toOpaque()))
}

/// Keeps an object in memory of its own, as containers do.
final class Drawer {
  let contents: UnsafeMutablePointer<Handle>

  init(_ handle: Handle) {
    contents = .allocate(capacity: 1)
    contents.initialize(to: handle)
  }
}

nonisolated(unsafe) var drawer: Drawer?

@inline(never) @_optimize(none)
func plantRawStorage() {
  drawer = Drawer(Handle())
}

/// Has a pointer, and a property whose type the runtime cannot be asked for.
final class Envelope<each Item> {
  var items: (repeat each Item)
  let pointer: UnsafeMutableRawPointer

  init(_ items: repeat each Item, to handle: Handle) {
    self.items = (repeat each items)
    pointer = Unmanaged.passRetained(handle).toOpaque()
  }
}

nonisolated(unsafe) var envelope: Envelope<Int, String>?

@inline(never) @_optimize(none)
func plantPointerBesideUnknown() {
  envelope = Envelope(1, "text", to: Handle())
}

struct Format {}
final class Message {
  var reader: Reader?
}
final class Reader {
  var format: (Format.Type, Message?) = (Format.self, nil)
  var message: Message?
}

nonisolated(unsafe) var message: Message?

/// The compiler stores no metatype of a struct, but the runtime's metadata of the tuple has eight bytes for it: then
/// the tuple's message is where the next property is.
@inline(never) @_optimize(none)
func plantMetatypeInTuple() {
  let reader = Reader()
  reader.message = Message()
  reader.message?.reader = reader
  message = reader.message
}

final class Bell {
  var action: (() -> Void)?
}
final class FormerBell {
  var padding = (0, 0, 0, 0)
  var bell: Bell?
  init(_ bell: Bell) { self.bell = bell }
}

nonisolated(unsafe) var bell = Bell()

func connect<each Argument>(_ first: Button, _ second: Button?, _ arguments: repeat each Argument) {
  bell.action = {
    use(first)
    use(second)
    repeat use((each Argument).self)
  }
}

/// The closure has the memory of a freed object, whose reference is behind the captures.
@inline(never) @_optimize(none)
func plantEmptyPack() {
  let button = Button()
  use(bell)
  do { use(FormerBell(bell)) }
  connect(button, nil)
}
