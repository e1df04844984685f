// Cycles through the standard library's collections.

extension Scenario {
  static let collections = [
    Scenario("array", plantArray),
    Scenario("arrayOfStructs", plantArrayOfStructs),
    Scenario("arrayOfArrays", plantArrayOfArrays),
    Scenario("dictionaryValue", plantDictionaryValue),
    Scenario("dictionaryKey", plantDictionaryKey),
    Scenario("dictionaryOfArrays", plantDictionaryOfArrays),
    Scenario("set", plantSet),
    Scenario("arraySlice", plantArraySlice),
    Scenario("contiguousArray", plantContiguousArray),
    Scenario("optionalArray", plantOptionalArray),
  ]
}

final class Folder {
  var children: [Item] = []
  var rows: [(index: Int, item: Item)] = []
  var grid: [[Item]] = []
  var byName: [String: Item] = [:]
  var ranks: [Item: Int] = [:]
  var groups: [String: [Item]] = [:]
  var members: Set<Item> = []
  var recent: ArraySlice<Item> = []
  var packed: ContiguousArray<Item> = []
  var hidden: [Item]?
}

final class Item: Hashable {
  var parent: Folder?
  init(in parent: Folder) { self.parent = parent }

  static func == (a: Item, b: Item) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@inline(never) @_optimize(none)
func plantArray() {
  let folder = Folder()
  folder.children = [Item(in: folder), Item(in: folder)]
}

@inline(never) @_optimize(none)
func plantArrayOfStructs() {
  let folder = Folder()
  folder.rows = [(1, Item(in: folder)), (2, Item(in: folder))]
}

@inline(never) @_optimize(none)
func plantArrayOfArrays() {
  let folder = Folder()
  folder.grid = [[], [Item(in: folder)]]
}

@inline(never) @_optimize(none)
func plantDictionaryValue() {
  let folder = Folder()
  folder.byName["first"] = Item(in: folder)
}

@inline(never) @_optimize(none)
func plantDictionaryKey() {
  let folder = Folder()
  folder.ranks[Item(in: folder)] = 1
}

@inline(never) @_optimize(none)
func plantDictionaryOfArrays() {
  let folder = Folder()
  folder.groups["all", default: []].append(Item(in: folder))
}

@inline(never) @_optimize(none)
func plantSet() {
  let folder = Folder()
  folder.members.insert(Item(in: folder))
}

@inline(never) @_optimize(none)
func plantArraySlice() {
  let folder = Folder()
  folder.recent = [Item(in: folder), Item(in: folder)][1...]
}

@inline(never) @_optimize(none)
func plantContiguousArray() {
  let folder = Folder()
  folder.packed.append(Item(in: folder))
}

@inline(never) @_optimize(none)
func plantOptionalArray() {
  let folder = Folder()
  folder.hidden = [Item(in: folder)]
}
