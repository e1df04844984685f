import Testing

@testable import LiveObjectsAnalysis

@Suite("A raw identifier in a name")
struct RawIdentifiersTests {
  @Test("separates nothing")
  func isOneComponent() {
    let name = "Demo.`a.b <c> (d)`.count<T>"
    #expect(name.components == ["Demo", "`a.b <c> (d)`", "count<T>"])
    #expect(name.prefix(before: "<") == "Demo.`a.b <c> (d)`.count")
    #expect(name.prefix(before: "(") == name)
    #expect("Demo.Suite/`reads a/b`()".withDotsForSlashes == "Demo.Suite.`reads a/b`()")
  }

  @Test("is part of a collection's element type")
  func collection() {
    let storage = "Swift._DictionaryStorage<Demo.`a<b, c`, Swift.Array<Demo.`]`>>"
    #expect(CollectionName(storage: storage)?.text == "[Demo.`a<b, c`: [Demo.`]`]]")
  }

  @Test("is no module")
  func member() {
    let frame = SourceFrame(function: "`test.init`()", module: "Demo", file: nil, line: 1, isSystem: false)
    #expect(!frame.isInitializer)
  }
}
