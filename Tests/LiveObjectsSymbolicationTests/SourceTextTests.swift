import Testing

@testable import LiveObjectsSymbolication

@Suite("A stored property in a source file")
struct SourceTextTests {
  private static let text = SourceText(
    """
    // class Loader has var client in a comment
    @MainActor
    final class Loader {
      /// var client: a description
      private(set) lazy var client = { let client = 1 }()
      let plain: Int, other: Int
      @Published var wrapped = 1
      #if DEBUG
        var twice: Int
      #else
        var twice: String
      #endif

      deinit {
        let local = plain
      }

      struct Nested {
        var inner: Int
      }
    }
    actor Short { var inline: Int? }
    class Loaders {
      var client: Int
      static let shared = 1
    }
    """)

  @Test(
    "has the line of its declaration",
    arguments: [
      ("client", "Demo.Loader", 3, 5), ("client", "Demo.Loader", 2, 5), ("client", "Demo.Loader", 14, 5),
      ("plain", "Demo.Loader", 3, 6), ("_wrapped", "Demo.Loader", 3, 7),
      ("inline", "Demo.Outer.Short", 22, 22), ("client", "Demo.Loaders", 23, 24),
    ])
  func declared(property: String, type: String, near: Int, expected: Int) {
    #expect(Self.text.line(ofProperty: property, ofClass: type, declaredNear: near) == expected)
  }

  @Test(
    "has none if no line or more than one fits, or if the class is another one",
    arguments: [
      ("missing", "Demo.Loader", 3), ("twice", "Demo.Loader", 3), ("local", "Demo.Short", 22),
      ("shared", "Demo.Loaders", 23), ("client", "Demo.Missing", 3), ("client", "Demo.Loader", 900),
      ("client", "Demo.Loader", 0),
    ])
  func undeclared(property: String, type: String, near: Int) {
    #expect(Self.text.line(ofProperty: property, ofClass: type, declaredNear: near) == nil)
  }

  @Test("is not looked for in what is no regular file", arguments: ["/dev/null", "/", "/missing.swift"])
  func noFile(path: String) {
    #expect(SourceText(ofFileAt: path) == nil)
  }
}
