import Foundation
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct HTMLRendererTests {
  @Test func showsLeaksWithTheirPathsAndCallSites() throws {
    try expectGolden(
      Self.staticPart(of: HTMLRenderer.render(ExplainedFindings.report())), "explained.html")
  }

  @Test func embedsTheReport() throws {
    let report = TestedPackage.report()
    let json = try Self.data(of: HTMLRenderer.render(report))
    let own = try JSONSerialization.jsonObject(with: Data(JSONRenderer().render(report).utf8))
    #expect(json as NSDictionary == own as? NSDictionary)
  }

  @Test func theScriptKnowsAllSections() {
    for section in FindingSection.allCases {
      #expect(
        HTMLScript.text.contains(
          "{ id: \"\(section.rawValue)\", name: \"\(section.name)\", kind: \"\(section.kind)\" }"))
    }
  }

  @Test func namesStayText() throws {
    let page = HTMLRenderer.render(HostileReport.report())
    let elements = try Self.elements(of: Self.staticPart(of: page))
    #expect(elements.isSubset(of: Self.knownElements), "\(elements.subtracting(Self.knownElements))")
    #expect(!page.contains("<img") && !page.contains("<!--"))
    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(page.unicodeScalars.allSatisfy { $0.isPrintable || $0 == "\n" })
    let findings = try #require(try Self.data(of: page)["findings"] as? [[String: Any]])
    #expect(findings.contains { $0["type"] as? String == HostileReport.names[0] })
  }

  /// The browser compares them, too, and a wrong one leaves the page without tables.
  @Test(arguments: ["script", "style"]) func theHashIsThatOfTheText(element: String) throws {
    let (text, hash) =
      element == "script" ? (HTMLScript.text, HTMLScript.hash) : (HTMLStyle.text, HTMLStyle.hash)
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = [
      "python3", "-c",
      "import base64, hashlib, sys; print(base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())",
    ]
    let (input, output) = (Pipe(), Pipe())
    (python.standardInput, python.standardOutput) = (input, output)
    try python.run()
    input.fileHandleForWriting.write(Data(text.utf8))
    try input.fileHandleForWriting.close()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    #expect(printed == hash + "\n")
  }

  @Test func thePolicyAllowsNoConnection() {
    let page = HTMLRenderer.render(ExplainedFindings.report())
    #expect(page.contains("content=\"default-src &#39;none&#39;; script-src &#39;sha256-"))
    #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("url("))
  }

  @Test func manyFindingsAreInTheTable() throws {
    let page = HTMLRenderer.render(LargeReports.report(findings: 1_000))
    #expect(page.utf8.count < 7_000_000)
    #expect(page.contains("more leaks, in the table of causes"))
  }

  /// The page without style, data and script.
  private static func staticPart(of page: String) -> String {
    page.replacingOccurrences(of: HTMLStyle.text, with: "…").replacingOccurrences(
      of: HTMLStyle.hash, with: "…"
    )
    .replacingOccurrences(of: HTMLScript.text, with: "…").replacingOccurrences(of: HTMLScript.hash, with: "…")
    .replacing(/(?s)(id="report-data">).*?(<\/script>)/) { "\($0.1)…\($0.2)" }
  }

  private static func data(of page: String) throws -> [String: Any] {
    let json = try #require(page.firstMatch(of: /(?s)id="report-data">(.*?)<\/script>/)).1
    return try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }

  private static func elements(of page: String) throws -> Set<String> {
    Set(page.matches(of: /<\/?([a-zA-Z!][a-zA-Z0-9]*)/).map { String($0.1) })
  }

  private static let knownElements: Set<String> = [
    "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "h4", "p",
    "code",
    "nav", "main", "section", "article", "span", "strong", "div", "figure", "svg", "g", "rect", "text",
    "path", "table",
    "thead", "tbody", "tr", "th", "td", "ul", "li", "details", "summary", "noscript", "script",
  ]
}
