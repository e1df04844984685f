import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct GitHubAnnotationsTests {
  @Test func aFailingCauseIsAnErrorAtTheLineToChange() {
    var cycle = ExplainedFindings.cycle
    cycle.test = "DemoTests.LoaderTests/testLoad"
    cycle.hint = Finding.Hint(
      .captureWeakly,
      at: [.init(kind: .closure, name: "c", captured: "self", file: "/src/A, b.swift", line: 7)])
    #expect(
      Self.text([cycle]) == """
        ::error file=A%2C b.swift,line=7,title=LiveObjects%3A retain cycle%3A Demo.Loader::\
        Loader.client → ClientSpy.requests[0].completion → closure #1 in Loader.load(completion:) → \
        self (cycle closes)%0Afix: c captures self strongly, A, b.swift:7: capture it weakly%0A\
        5 instances, 20 objects, 640 bytes%0Atests: DemoTests.LoaderTests/testLoad

        """)
  }

  @Test func withoutAHintTheCallThatAllocatedIsShown() {
    #expect(
      Self.text([ExplainedFindings.cycle]).hasPrefix("::error file=Tests/LoaderTests.swift,line=42,title="))
  }

  @Test func framesOfDependenciesComeLast() {
    var finding = ExplainedFindings.overRetained
    finding.allocatedAt = [
      .init(
        instances: 2,
        frames: [
          .user("make()", module: "NIO", file: "/src/.build/checkouts/nio/A.swift", line: 1),
          .user("open()", file: "/src/Sources/B.swift", line: 2),
        ])
    ]
    #expect(Self.text([finding]).hasPrefix("::error file=Sources/B.swift,line=2,"))
    finding.allocatedAt[0].frames.removeLast()
    #expect(Self.text([finding]).hasPrefix("::error file=.build/checkouts/nio/A.swift,line=1,"))
  }

  @Test func longPathsOfFilesAreWhole() {
    var finding = ExplainedFindings.overRetained
    let file = "/src/" + String(repeating: "component/", count: 30) + "B.swift"
    finding.allocatedAt = [.init(instances: 1, frames: [.user("open()", file: file, line: 2)])]
    #expect(Self.text([finding]).contains("component/B.swift,line=2,"))
    #expect(!Self.text([finding]).contains("file=\(file.prefix(50))…"))
  }

  @Test func aLeakThatFailsNothingIsAWarning() {
    let findings = [ExplainedFindings.cycle, ExplainedFindings.heldByStatic]
    #expect(Self.text(findings, .none).hasPrefix("::warning "))
    #expect(Self.text(findings, .none).split(separator: "\n").count == 1)
    let held = Self.text(findings, .held).split(separator: "\n")
    #expect(held.map { $0.hasPrefix("::error ") } == [true, true])
  }

  @Test func filesAreRelativeToTheWorkspace() {
    var report = ExplainedFindings.report([ExplainedFindings.cycle])
    report.run.folder = "/src/Tests"
    #expect(GitHubAnnotations.text(of: report, in: "/src").hasPrefix("::error file=Tests/LoaderTests.swift,"))
    #expect(GitHubAnnotations.text(of: report, in: nil).hasPrefix("::error file=LoaderTests.swift,"))
  }

  @Test func fiftyCausesAreListed() {
    let lines = Self.text(LargeReports.report(findings: 1_000).findings).split(separator: "\n")
    #expect(lines.count == 51)
    #expect(lines.last == "::notice title=LiveObjects::284 more causes: see the report")
  }

  @Test func namesStayInTheirLine() {
    let text = GitHubAnnotations.text(of: HostileReport.report())
    #expect(!text.isEmpty)
    for line in text.split(separator: "\n") {
      #expect(line.hasPrefix("::error ") || line.hasPrefix("::notice "))
      #expect(line.unicodeScalars.first { !$0.isPrintable } == nil)
      let properties = line.dropFirst(2).prefix { $0 != ":" }
      #expect(properties.split(separator: ",").count <= 3, "\(properties)")
    }
  }

  private static func text(_ findings: [Finding], _ failOn: FailOn = .leaks) -> String {
    var report = ExplainedFindings.report(findings)
    report.run.failOn = failOn
    report.run.folder = "/src"
    return GitHubAnnotations.text(of: report)
  }
}
