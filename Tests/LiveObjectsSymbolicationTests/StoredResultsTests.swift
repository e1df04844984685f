import Testing

@testable import LiveObjectsSymbolication

@Suite("What a call returns, which source files store straight into a property")
struct StoredResultsTests {
  @Test(
    "is found by type and name",
    arguments: [
      "controller.view = View()", "screen.view = Kit.View<Int>(frame: .zero)",
      "self.view = try await .init()",
      "panel = Panel(view: View())", "view =\n  View()", "let child = Child(view: view); child.view = View()",
    ])
  func stored(text: String) {
    let results = StoredResults(in: [SourceText(text)])
    #expect(results.has("View", in: "view"))
    #expect(!results.has("View", in: "other"))
    #expect(!results.has("Factory", in: "view") || text.contains(".init"))
  }

  @Test("may be a function's result")
  func returned() {
    #expect(StoredResults(in: [SourceText("child.view = Factory.makeView()")]).has("makeView", in: "view"))
  }

  @Test(
    "is no variable's",
    arguments: [
      "let view = View()", "var other: View = View(), view: View = shared", "child.view = Factory.makeView()",
      "child.view = View", "view = View.",
    ])
  func others(text: String) {
    #expect(!StoredResults(in: [SourceText(text)]).has("View", in: "view"))
  }
}
