import Testing

@testable import LiveObjectsSymbolication

@Suite("What a call returns, which a source line stores straight into a property")
struct StoredResultsTests {
  private static let text = """
    controller.view = View()
    screen.view = Kit.View<Int>(frame: .zero)
    self.view = try await .init()
    let view = View()
    var other: View = View(), view: View = shared
    panel = Panel(view: View())
    view =
      View()
    let child = Child(view: view); child.view = Factory.makeView()
    child.view = View
    init(view: View<Int>) {}
    func show(view: View<Int>?, panel: Panel) {}
    view = View.
    """

  private static let results = StoredResults(in: SourceText(text))

  @Test("is found by line, type and name", arguments: [1, 2, 3, 6, 8])
  func stored(line: Int) {
    #expect(Self.results.has("View", in: "view", at: line))
    #expect(!Self.results.has("View", in: "other", at: line))
    #expect(line == 3 || !Self.results.has("Panel", in: "view", at: line))
  }

  @Test("counts anywhere in the folder where the property's object is named")
  func stated() {
    #expect(Set(Self.results.callees(statedIn: "view")) == ["View", "init", "makeView"])
    #expect(Self.results.callees(statedIn: "panel").isEmpty)
  }

  @Test("may be a function's result")
  func returned() {
    #expect(Self.results.has("makeView", in: "view", at: 9))
  }

  @Test("is no variable's", arguments: [4, 5, 7, 9, 10, 11, 12, 13, 14])
  func others(line: Int) {
    #expect(!Self.results.has("View", in: "view", at: line))
  }
}
