import Testing

@testable import LiveObjectsSymbolication

@Suite("A stored property in a source file")
struct SourceTextTests {
  private static let text = """
    // class Loader { var client: Int }
    @MainActor
    final class Loader<Value: Sendable>: Base, Sendable where Value: Equatable {
      /* var client: Int /* } */ */
      private(set) lazy var client = { let client = 1; return "}\\(client, "{")" }()
      let plain: Int, other: Dictionary<Int, Base>,
        third: Base
      @Published var wrapped = #"var twice: Int { \\("#
      #if DEBUG
        var twice: Int
      #else
        var twice: String
      #endif
      var storage: Int { _storage }
      private var _storage = \"""
        } var client: Int
        \"""

      deinit {
        let local = plain
        class Hidden { var client = 1 }
      }
      class func make() -> Self { let client = Self.init(); return client }
      struct Nested {
        var inner: Int; static var client = 1, plain = 2
      }
    }
    extension Loader.Nested {
      actor Deep { unowned let owner: Loader }
      var client: Int { 1 }
    }
    actor Short { var inline: Int?; let next: Short }
    final class Other { let inline: Int; let `class`: Int }
    class Loaders {
      var actor: Int
      static let shared = 1
    }
    }
    class Lost { var found: Int }
    """

  private static let properties = DeclaredProperties(in: SourceText(text))

  @Test(
    "has the line of its declaration",
    arguments: [
      ("client", "Loader", 5), ("plain", "Loader", 6), ("other", "Loader", 6), ("third", "Loader", 7),
      ("_wrapped", "Loader", 8), ("_storage", "Loader", 15), ("storage", "Loader", 14),
      ("inner", "Loader.Nested", 25), ("owner", "Loader.Nested.Deep", 29), ("inline", "Short", 32),
      ("next", "Short", 32), ("inline", "Other", 33), ("actor", "Loaders", 35),
    ])
  func declared(property: String, type: String, line: Int) {
    #expect(Self.properties.line(of: property, in: type) == line)
  }

  @Test(
    "has none if no line or more than one fits, or if the type is another one",
    arguments: [
      ("missing", "Loader"), ("twice", "Loader"), ("local", "Loader"), ("shared", "Loaders"),
      ("client", "Missing"),
      ("client", "Hidden"), ("next", "Other"), ("plain", "Loader.Nested"), ("client", "Loader.Nested"),
      ("inner", "Nested"), ("Base", "Loader"), ("found", "Lost"),
    ])
  func undeclared(property: String, type: String) {
    #expect(Self.properties.line(of: property, in: type) == nil)
  }

  @Test(
    "is searched in any text",
    arguments: [
      "\"", "\"\"\"", "\"\\", "\"\\(", "#\"\\#(\"", "/*", "}", "{", ")", "class", "class A.", "class A {",
      "let",
      "class A { let", "class A { let a", "class A { let a,", "`", "#", "\n", ".", "class A { static",
    ])
  func anyText(text: String) {
    let repeated = String(repeating: text, count: 1000)
    for text in [text, repeated, "class A { let a: Int\n\(text)"] {
      let line = DeclaredProperties(in: SourceText(text)).line(of: "a", in: "A")
      #expect(line == nil || line == 1)
    }
  }

  @Test("is not looked for in what is no regular file", arguments: ["/dev/null", "/", "/missing.swift"])
  func noFile(path: String) {
    #expect(SourceText(ofFileAt: path) == nil)
  }
}
