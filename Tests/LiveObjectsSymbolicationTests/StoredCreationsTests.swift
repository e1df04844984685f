import Testing

@testable import LiveObjectsSymbolication

@Suite("A new object that a source line stores straight into a property")
struct StoredCreationsTests {
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
    view = View.
    """

  private static let creations = StoredCreations(in: SourceText(text))

  @Test("is found by line, type and name", arguments: [1, 2, 3, 6, 8])
  func stored(line: Int) {
    #expect(Self.creations.has("View", in: "view", at: line))
    #expect(!Self.creations.has("View", in: "other", at: line))
    #expect(line == 3 || !Self.creations.has("Panel", in: "view", at: line))
  }

  @Test("is no variable's, and no function's result", arguments: [4, 5, 7, 9, 10, 11, 12])
  func others(line: Int) {
    #expect(!Self.creations.has("View", in: "view", at: line))
  }
}
