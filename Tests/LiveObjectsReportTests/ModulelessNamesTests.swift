import Testing

@testable import LiveObjectsReport

@Suite("A name without modules")
struct ModulelessNamesTests {
  @Test(
    "keeps the other parts",
    arguments: [
      ("Demo.Loader", "Loader"),
      ("Demo.Outer<Demo.A, Swift.Int>.Inner.Leaf", "Outer<A, Int>.Inner.Leaf"),
      ("closure #1 in Demo.Loader.load(completion:)", "closure #1 in Loader.load(completion:)"),
      ("closure #2 in closure #1 in Demo.f()", "closure #2 in closure #1 in f()"),
      ("static Demo.Loader.==(_:_:)", "static Loader.==(_:_:)"),
      ("Demo.==(_:_:)", "==(_:_:)"),
      ("global Demo.cache", "global cache"),
      ("(extension in Demo):Swift.Array<Swift.Int>.Cache", "(extension in Demo):Array<Int>.Cache"),
      ("closure in main", "closure in main"),
      ("global in libfoo.so.1", "global in libfoo.so.1"),
      ("closure in DemoPackageTests.xctest", "closure in DemoPackageTests.xctest"),
      ("Demo.`http://evil.org/x.png`.next", "`http://evil.org/x.png`.next"),
      ("closure #1 in Demo.Box<Demo.`a.b \"c.d`>.`e.f`()", "closure #1 in Box<`a.b \"c.d`>.`e.f`()"),
      ("queue \"com.demo.`q\" of Demo.A", "queue \"com.demo.`q\" of A"),
      ("", ""), ("...", "..."),
    ])
  func keepsTheOtherParts(name: String, expected: String) {
    #expect(name.withoutModules == expected)
  }
}
