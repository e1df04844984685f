import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture
@testable import LiveObjectsReport

/// Reports on runs of tests.
@Suite struct ReportOfTestsTests {
  @Test func showsEachFindingOnceWithItsTests() throws {
    try expectGolden(TextRenderer().render(TestedPackage.report()), "tests.txt")
  }

  @Test func eachTestNamesItsFindings() throws {
    let report = TestedPackage.report()
    for test in report.tests {
      let own = report.findings.filter { $0.test == test.id && $0.testCase == test.testCase }
      #expect(test.findings == own.map(\.fingerprint))
    }
    #expect(report.tests.contains { $0.findings.count == 2 })
  }

  /// Such as an object of a case of Swift Testing, which is evaluated when its process ends.
  @Test func aTestWithAFindingThatFailsHasLeaked() throws {
    var builder = CaptureBuilder()
    for test in ["T/testOne", "T/testTwo", "T/testThree"] { builder.test(test) }
    var analysis = Analysis(of: builder.capture, symbolicator: ImageNames())
    analysis.findings = [
      ("T/testOne", "00000000000000a1", Finding.Verdict.overRetained),
      ("T/testTwo", "00000000000000a2", .growth),
    ].map {
      Finding(
        fingerprint: $1, verdict: $2, type: "Demo.A", kind: .classInstance, instances: 1, objects: 1,
        bytes: 1, test: $0)
    }
    var report = Report(of: [(builder.capture, analysis)])
    func outcomes() throws -> [TestDescription.Outcome] {
      try JSONReportReader.report(in: Array(JSONRenderer().render(report).utf8)).tests.map(\.outcome)
    }
    #expect(try outcomes() == [.leaked, .passed, .passed])
    report.run.failOn = .growth
    #expect(try outcomes() == [.leaked, .leaked, .passed])
    report.run.failOn = FailOn.none
    #expect(try outcomes() == [.passed, .passed, .passed])
  }

  @Test func oneTestMayHaveMostFindings() {
    var builder = CaptureBuilder()
    builder.test("T/testOne")
    var analysis = Analysis(of: builder.capture, symbolicator: ImageNames())
    analysis.findings = (0..<60_000).map { index in
      Finding(
        fingerprint: "\(index + 1_000_000_000_000_000)", verdict: .growth, type: "Demo.A",
        kind: .classInstance, instances: 1, objects: 1, bytes: 1, test: "T/testOne")
    }
    let seconds = processorSeconds {
      let report = Report(of: [(builder.capture, analysis)])
      #expect(report.tests.map(\.findings.count) == [60_000])
    }
    #expect(seconds < mostProcessorSeconds)
  }

  @Test func testsOfTheSameNameAreMergedWithTheWorstOutcome() {
    var (first, second) = (CaptureBuilder(), CaptureBuilder(processID: 13))
    first.test("T/testOne")
    first.test("T/testTwo", .failed)
    second.test("T/testTwo", .passed)
    second.test("T/testOne", .leaked)
    second.test("T/testThree")
    let tests = makeReport(of: first, second).tests
    #expect(tests.map(\.id) == ["T/testOne", "T/testTwo", "T/testThree"])
    #expect(tests.map(\.outcome) == [.leaked, .failed, .passed])
  }

  @Test func unevaluatedTestsAreCountedAndDoNotDegradeTheReport() {
    var builder = CaptureBuilder()
    builder.test("T/testOne", .failed)
    #expect(notes(builder) == ["1 test failed or was skipped: what it left behind was not evaluated."])
    builder.test("T/testTwo", .skipped)
    builder.test("T/testThree", .running)
    #expect(
      notes(builder) == [
        "2 tests failed or were skipped: what they left behind was not evaluated.",
        "1 test had not ended: what it left behind was not evaluated.",
      ])
    #expect(makeReport(of: builder).tracking.isComplete)
  }

  /// One of them may have been the test's: neither may its entries in a baseline be called stale.
  @Test func noTestIsEvaluatedWithoutAllObjects() {
    var builder = CaptureBuilder()
    builder.test("T/testOne")
    var capture = builder.capture
    capture.tracking.droppedRecords = 5
    let report = Report(of: [(capture, Analysis(of: capture, symbolicator: TableSymbolicator()))])
    #expect(report.tests.map(\.evaluation) == [.impossible])
    let entry = Baseline.Entry(fingerprint: "0123456789abcdef", test: "T/testOne", description: [])
    #expect(Baseline([entry]).stale(in: report, ranAllTests: true).isEmpty)
  }

  @Test func aReportWithUnevaluatedTestsIsNotClean() {
    var builder = CaptureBuilder()
    builder.test("T/testOne")
    builder.test("T/testTwo", .running)
    #expect(!makeReport(of: builder).isClean)
    #expect(
      TextRenderer().render(makeReport(of: builder)).hasPrefix(
        "LiveObjects: nothing of yours was left behind in 1 of 2 tests, the others were not evaluated\n"))
  }

  @Test func aLaterDeallocationIsReportedWithItsTest() {
    var builder = CaptureBuilder()
    let node = builder.type("Demo.Node")
    let test = builder.test("T/testOne") { builder, _ in builder.leakItself(node) }
    builder.fail(test, with: builder.findings(of: test))
    #expect(notes(builder).isEmpty)
    builder.deallocate(0)
    let report = makeReport(of: builder)
    #expect(report.findings.isEmpty)
    #expect(
      report.notes == [
        "T/testOne had left a leak when it ended: retain cycle: Demo.Node; its objects were released later."
      ])
    let headline =
      "LiveObjects: no leaks remain in 1 test, but 1 test had left one that was released later\n"
    #expect(TextRenderer().render(report).hasPrefix(headline))
  }

  @Test func aTestThatLeakedIsNotReportedAsUnevaluated() {
    var builder = CaptureBuilder()
    builder.test("T/testOne", .leaked)
    #expect(notes(builder).isEmpty)
  }

  // MARK: - Unevaluated tests

  @Test func aTestWithUnreadableReferencesIsNotEvaluated() {
    var builder = CaptureBuilder()
    let node = builder.type("Demo.Node")
    builder.heapGraph(HeapGraph.Status(wasRead: false, notes: ["no memory"]))
    for name in ["testOne", "testTwo", "testThree"] {
      builder.test("T/" + name) { builder, _ in builder.objects(of: node) }
    }
    builder.evaluate(2)
    builder.test("T/testClean")
    builder.test("T/testFailing", .failed)
    let report = makeReport(of: builder)
    #expect(report.unevaluatedTests.map(\.id) == ["T/testOne", "T/testTwo"])
    #expect(
      report.tests.map(\.evaluation) == [.impossible, .impossible, .complete, .complete, .notWanted])
    #expect(
      report.tracking.notes.contains(
        "Whether T/testOne, T/testTwo left a leak behind could not be evaluated."))
    #expect(JSONRenderer().render(report).contains("\"evaluated\": false"))
  }

  @Test func withoutReferencesTestsAreNotReportedAsUnevaluated() {
    var builder = CaptureBuilder()
    builder.test("T/testOne") { builder, _ in builder.objects(of: builder.type("Demo.Node")) }
    #expect(makeReport(of: builder).tests.map(\.evaluation) == [.notWanted])
    #expect(makeReport(of: builder).unevaluatedTests.isEmpty)
  }

  @Test func aCrashedProcessHasOnlyTheFindingsOfItsTests() throws {
    var builder = CaptureBuilder()
    let node = builder.type("Demo.Node")
    let leaking = builder.test("T/testOne") { builder, _ in builder.leakItself(node) }
    builder.test("T/testTwo")
    builder.test("T/testThree", .running)
    builder.fail(leaking, with: builder.findings(of: leaking))
    builder.evaluate(leaking)
    let journal = try Capture(decoding: builder.journal(running: [2]))
    let report = Report(of: [(journal, Analysis(of: journal, symbolicator: TableSymbolicator()))])
    #expect(report.findings.map(\.test) == ["T/testOne"])
    #expect(report.tests.map(\.outcome) == [.leaked, .passed, .running])
    #expect(report.unevaluatedTests.map(\.id) == ["T/testTwo"])
    #expect(
      journal.untimelyEnd(of: "demo") == "demo ended before it could report, during T/testThree")
    #expect(builder.capture.untimelyEnd(of: "demo") == nil)
  }

  @Test func knownIssuesAreListedSeparatelyAndTheirTestsDoNotLeak() {
    var builder = CaptureBuilder()
    builder.markKnownIssue(6)
    builder.scope(6, inside: 5)
    let node = builder.type("Demo.Node")
    builder.test("S/one()", scope: 5) { builder, _ in builder.leakItself(node, scope: 6) }
    let report = makeReport(of: builder)
    #expect(!report.isClean)
    let known = TextRenderer(listing: [.known]).render(report)
    #expect(
      known.hasPrefix(
        """
        LiveObjects: no new leaks in 1 test

        Known: findings of the baseline,
        """))
    #expect(
      known.contains(
        """

        1. retain cycle: Demo.Node  1 instance, 32 bytes  [fingerprint \(report.findings[0].fingerprint)]

        """))
    builder.test("S/two()", scope: 8) { builder, _ in builder.leakItself(node, scope: 8) }
    let text = TextRenderer(listing: [.tests]).render(makeReport(of: builder))
    #expect(text.hasPrefix("LiveObjects: 1 leak in 1 of 2 tests keeps 1 object (32 bytes) alive\n"))
    #expect(text.contains("\nTests that leak:\n\n  S/two()  1 leak\n\n1. "))
  }

  @Test func aPartlyKnownFindingIsListedTwiceAndNamedOnceByItsTest() {
    var builder = CaptureBuilder()
    builder.markKnownIssue(6)
    builder.scope(6, inside: 5)
    let node = builder.type("Demo.Node")
    builder.test("S/one()", scope: 5) { builder, _ in
      builder.leakItself(node, scope: 5)
      builder.leakItself(node, scope: 6)
    }
    let report = makeReport(of: builder)
    #expect(report.findings.map(\.isKnownIssue) == [false, true])
    #expect(report.tests.map(\.findings) == [[report.findings[0].fingerprint]])
    #expect(report.findings.filter(FailOn.leaks.includes).count == 1)
  }

  @Test func aRunWithoutTestsIsReportedAsSuch() {
    var (first, second) = (CaptureBuilder(), CaptureBuilder(processID: 13))
    first.listTests()
    second.listTests()
    first.objects(3, of: first.type("Foundation.RunLoop"))
    let report = makeReport(of: first, second)
    #expect(!report.isClean)
    #expect(
      TextRenderer().render(report) == "LiveObjects: no test ran in demo (pid 12) and 1 other process\n")
  }

  @Test func processesWithoutATestTableDoNotMentionTests() {
    var listing = CaptureBuilder()
    listing.listTests()
    let text = TextRenderer().render(makeReport(of: listing, CaptureBuilder(processID: 13)))
    #expect(!text.contains("no test ran"))
  }

  @Test func aCleanRunCountsItsTests() {
    var builder = CaptureBuilder()
    builder.test("S/load(count:)", arguments: "1", scope: 1)
    builder.test("S/load(count:)", arguments: "2", scope: 2)
    builder.test("T/testOne")
    let text = TextRenderer().render(makeReport(of: builder))
    #expect(text == "LiveObjects: nothing of yours was left behind in 2 tests (3 cases)\n")
  }

  @Test func failingTestsAreListedInTheOrderOfTheirRun() {
    let report = TestedPackage.report()
    let leaks = TextRenderer.everything.render(report)
    #expect(leaks.contains("\nTests that leak:\n"))
    #expect(!leaks.contains("cache(name:) (\"a\")  "))
    let text = report.text(failOn: .held, TextRenderer.everything)
    #expect(text.contains("\nTests with findings that fail:\n"))
    #expect(
      text.contains(
        """

          DemoTests.LoaderTests/test1           1 leak
          DemoTests.LoaderTests/test2           2 leaks
          DemoTests.LoaderTests/test3           1 leak
          DemoTests.LoaderTests/test4           1 leak
          DemoTests.LoaderTests/test6           1 leak
          DemoTests.Caching/cache(name:) ("a")  1 held
          DemoTests.Caching/cache(name:) ("b")  1 leak, 1 held

        """))
  }

  @Test func objectsOfTestLibrariesHaveNoTable() {
    var builder = CaptureBuilder()
    builder.test("T/testOne")
    builder.objects(3, of: builder.type("Foundation.RunLoop"))
    builder.objects(4, of: builder.type("", kind: .rawBuffer, image: nil))
    let report = makeReport(of: builder)
    #expect(
      TextRenderer().render(report)
        == "LiveObjects: nothing of yours was left behind in 1 test\n")
    #expect(JSONRenderer().render(report).contains("Foundation.RunLoop"))
  }

  @Test func aLibraryLeakIsListedOnlyIfItBelongsToATest() {
    var builder = CaptureBuilder()
    let library = builder.image("/usr/lib/swift/linux/libFoundation.so", isSystem: true)
    let (suite, timer) = (
      builder.type("XCTest.XCTestSuite", image: library), builder.type("Foundation.Timer", image: library)
    )
    builder.heapGraph()
    builder.leakItself(suite)
    builder.test("T/testOne") { builder, _ in builder.leakItself(timer) }
    let text = TextRenderer(listing: [.library]).render(makeReport(of: builder))
    let lines = text.split(separator: "\n").map { $0.prefix { $0 != "[" } }
    #expect(!text.contains("XCTestSuite"))
    #expect(
      lines.suffix(3) == [
        "1. retain cycle: Foundation.Timer  1 instance, 32 bytes  ", "   Timer.next → Timer (cycle closes)",
        "   tests: T/testOne",
      ])
  }

  @Test func longListsOfTestsAreTruncatedWithANote() {
    var builder = CaptureBuilder()
    let node = builder.type("Demo.Node")
    for number in 1...40 {
      builder.test("T/test\(number)") { builder, _ in builder.leakItself(node) }
    }
    let text = TextRenderer(listing: [.tests]).render(makeReport(of: builder))
    #expect(text.hasPrefix("LiveObjects: 1 leak in 40 of 40 tests keeps 40 objects (1.3 KB) alive\n"))
    #expect(text.contains("  … and 15 more tests; the JSON report lists them all"))
    #expect(text.contains("tests: T/test1, T/test10, T/test11 and 37 more tests"))
  }

  @Test func unattributedFindingsAreOutsideOfTests() {
    var builder = CaptureBuilder()
    builder.objects(2, of: builder.type("Demo.Item"))
    builder.test("T/testOne")
    let text = TextRenderer().render(makeReport(of: builder))
    #expect(
      text.hasPrefix(
        "LiveObjects: 1 type of yours left 2 instances (64 bytes) behind in 1 test\n"))
    #expect(!text.contains("tests:"))
  }

  private func notes(_ builder: CaptureBuilder) -> [String] { makeReport(of: builder).tracking.notes }
}

extension CaptureBuilder {
  fileprivate func findings(of test: Int) -> [Finding] {
    Analysis(of: capture, symbolicator: TableSymbolicator(), options: Analysis.Options(test: test)).findings
  }
}
