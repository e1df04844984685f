/// Cycles through values and collections: `Values.swift`, `Collections.swift` and `Existentials.swift` of the
/// fixture.
extension ExpectedFinding {
  static let values: [ExpectedFinding] = [
    .cycle("structField", ["Table → cell.table"]),
    .cycle("nestedStruct", ["Nesting → outer.inner.ref"]),
    .cycle("optionalStruct", ["Editor → selection.editor"]),
    .cycle("tuple", ["Pair → both.other", "Pair → plain"]),
    .cycle("enumSingle", ["Machine → phase"]),
    .cycle("enumMulti", ["Shape → content"]),
    .cycle("enumIndirect", ["Scope → value"], objects: 4, victims: 1),
    .cycle("enumPayloadStruct", ["Channel → state.owner"]),
    .cycle("enumClosure", ["MenuItem → action", "closure #1 in MenuItem.connect() → self"]),
    .cycle("result", ["Operation → result.operation"]),
    .cycle("error", ["Operation → lastError.operation"]),
    .cycle("optionalOptional", ["Cache → entry"]),
  ]

  static let collections: [ExpectedFinding] = [
    .cycle("array", ["Folder → children[0]", "Item → parent"]),
    .cycle("arrayOfStructs", ["Folder → rows[0].item", "Item → parent"]),
    .cycle("arrayOfArrays", ["Folder → grid[1][0]", "Item → parent"]),
    .cycle("dictionaryValue", ["Folder → byName[value]", "Item → parent"]),
    .cycle("dictionaryKey", ["Folder → ranks[key]", "Item → parent"]),
    .cycle("dictionaryOfArrays", ["Folder → groups[value][0]", "Item → parent"]),
    .cycle("set", ["Folder → members[element]", "Item → parent"]),
    .cycle("arraySlice", ["Folder → recent[0]", "Item → parent"]),
    .cycle("contiguousArray", ["Folder → packed[0]", "Item → parent"]),
    .cycle("optionalArray", ["Folder → hidden[0]", "Item → parent"]),
  ]

  static let existentials: [ExpectedFinding] = [
    .cycle("classExistential", ["Host → observer", "Watcher → host"]),
    .cycle("anyObject", ["Host → object", "Watcher → host"]),
    .cycle("inlineExistential", ["Host → plugin.host"]),
    .cycle("boxedExistential", ["Host → plugin.host"]),
    .cycle("any", ["Host → anything.host"]),
    .cycle("arrayOfExistentials", ["Host → plugins[1].host"]),
    .cycle("dictionaryOfAny", ["Host → userInfo[value]", "Watcher → host"]),
    .cycle("parameterizedExistential", ["Host → integers.host"]),
    .cycle("composition", ["Host → both", "Watcher → host"]),
    .cycle(
      "typeErasure", ["ConcreteStorage<Presenter> → wrapped", "Presenter → output.storage"]),
  ]
}
