import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct TextSearchTests {
  private static let texts = [
    "", "T", "Tests", "Tests.derived", "Tests.derived/", "xTests.derived/y", "TTests.derived/",
    "é😀Tests.derived/",
    "Tests.derivee/",
  ]

  @Test(arguments: texts)
  func agreesWithContains(text: String) {
    #expect(text.holds("Tests.derived/") == text.contains("Tests.derived/"))
    #expect(text[...].holds("Tests") == text.contains("Tests"))
    #expect(text.holds(""))
  }

  @Test(arguments: [
    ("/usr/lib/libdemo.so", "libdemo.so"), ("demo", "demo"), ("/demo/", "demo"), ("a//b//", "b"), ("", ""),
    ("//", "//"), ("/é/ü", "ü"),
  ])
  func aFileNameIsTheLastComponentOfAPath(path: String, name: String) {
    #expect(path.fileName == name)
  }
}
