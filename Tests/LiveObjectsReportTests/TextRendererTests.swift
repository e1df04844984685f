import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture
@testable import LiveObjectsReport

@Suite struct TextRendererTests {
  @Test func showsLeaksBeforeOtherFindings() throws {
    try expectGolden(TextRenderer().render(ExplainedFindings.report()), "explained.txt")
  }

  @Test func whatElseATaskHoldsIsCounted() {
    var finding = ExplainedFindings.heldByStatic
    (finding.victims, finding.victimTypes) = (1201, [.init("Demo.Feed", 1200), .init("Demo.Store", 1)])
    let text = TextRenderer(listing: [.held]).render(ExplainedFindings.report([finding]))
    #expect(
      text.contains("and 1,201 objects that the task keeps alive: Feed × 1,200, Store × 1\n"), "\(text)")
  }

  @Test func aLongNameDoesNotWidenTheLinesOfOthers() {
    var builder = CaptureBuilder()
    builder.objects(of: builder.type("Demo." + String(repeating: "A", count: 100_000)), isPinned: true)
    for index in 0..<50 { builder.objects(of: builder.type("Demo.Type\(index)"), isPinned: true) }
    let text = TextRenderer.everything.render(makeReport(of: builder))
    #expect(text.contains("Demo.Type49\n"))
    #expect(text.utf8.count < 10_000)
  }

  @Test func aReportOfNoCommandListsAllAndNamesNoOptions() {
    let text = ExplainedFindings.report().text(failOn: nil)
    #expect(text.contains("\nHeld: objects that are still reachable, which may be intended.\n"))
    #expect(!text.contains("--fail-on"))
    #expect(!text.contains("--list"))
  }

  @Test func whatDoesNotFailIsOneLineUnlessRequested() {
    let report = ExplainedFindings.report()
    let text = TextRenderer().render(report)
    #expect(
      text.contains(
        "\nHeld:           12 instances of 1 type (384 bytes), still reachable, which may be intended"))
    #expect(text.contains("  --list library\n"))
    #expect(!text.contains("Demo.Job"))
    #expect(TextRenderer(listing: [.growth]).render(report).contains("4. Demo.Job  (class)  3 instances"))
    #expect(TextRenderer(listing: [.library]).render(report).contains("4. retain cycle: Foundation.Timer"))
  }

  @Test(
    arguments: [
      (.held, "because of `--fail-on held`", nil),
      (.growth, "because of `--fail-on growth`", "because of `--fail-on growth`"), (.none, nil, nil),
    ] as [(FailOn, String?, String?)])
  func sectionsThatFailAreListed(failOn: FailOn, held: String?, growth: String?) {
    let text = ExplainedFindings.report().text(failOn: failOn)
    let sections = [
      ("\nHeld: objects that are still reachable, which may be intended; the run fails ", held),
      ("\nGrowth: objects that are still allocated, holder unknown; the run fails ", growth),
    ]
    for (heading, reason) in sections {
      #expect(text.contains(heading + (reason ?? "")) == (reason != nil))
    }
  }

  @Test(
    arguments: [
      (.leaks, "no leaks in demo (pid 12)\n"),
      (.held, "no leaks in demo (pid 12), but the run fails because of held objects (`--fail-on held`)\n"),
      (
        .growth,
        "no leaks in demo (pid 12), but the run fails because of held objects or growth (`--fail-on growth`)\n"
      ),
      (.none, "no leaks in demo (pid 12)\n"),
    ] as [(FailOn, String)])
  func theFirstLineNamesFailuresWithoutLeaks(failOn: FailOn, answer: String) {
    let report = ExplainedFindings.report([ExplainedFindings.heldByStatic, ExplainedFindings.growth])
    #expect(report.text(failOn: failOn).hasPrefix("LiveObjects: \(answer)"))
  }

  /// A finding lists 16 of them at most.
  @Test(arguments: [(15, "and 12 more types"), (16, "and other types")])
  func theNumberOfVictimTypesIsStatedIfItIsKnown(count: Int, text: String) {
    var finding = ExplainedFindings.cycle
    finding.victimTypes = (0..<count).map { .init("Demo.T\($0)", 1) }
    #expect(TextRenderer(width: 130).render(ExplainedFindings.report([finding])).contains(text))
  }

  @Test func heldObjectsThatAreNotListedHaveTheirFixes() {
    var held = ExplainedFindings.heldByStatic
    held.hint = Finding.Hint(.limitCollection, at: [.init(kind: .call, name: "Demo.Registry.add(_:)")])
    let fix = """
      Item, 12 instances, 384 bytes: elements are added in Registry.add(_:): remove them when they are not needed,
      """
    let report = ExplainedFindings.report([held])
    #expect(TextRenderer(width: 130).render(report).contains("--list held\n  fix for \(fix)"))
    #expect(!TextRenderer(listing: [.held]).render(report).contains("fix for"))
    #expect(MarkdownRenderer.render(report).contains("\n  * Fix for Item, 12 instances, 384 bytes\\: "))

    var ofTestCase = ExplainedFindings.heldByStatic
    (ofTestCase.fingerprint, ofTestCase.instances, ofTestCase.objects) = ("f", 99, 99)
    ofTestCase.hint = Finding.Hint(.clearProperty, at: [.init(kind: .property, name: "Demo.Tests.items")])
    let both = TextRenderer(width: 130).render(ExplainedFindings.report([ofTestCase, held]))
    #expect(both.contains("--list held\n  fix for \(fix)"))
    #expect(both.contains("\n  fix for Item, 99 instances, 384 bytes: XCTest keeps test cases"))
  }

  @Test func aLongTextEndsWithTheAnswer() throws {
    let text = TextRenderer().render(LargeReports.report(findings: 100))
    let answer = try #require(text.split(separator: "\n").first)
    #expect(text.hasSuffix("\n\n\(answer)\n"))
    let short = TextRenderer().render(ExplainedFindings.report([ExplainedFindings.cycle]))
    #expect(short.matches(of: /1 leak keeps|1 leak/).count == 1)
  }

  @Test func dependenciesAreCountedWhereTheyAreMany() {
    let causes = ["a", "b", "c", "d"].map { package in
      var held = ExplainedFindings.heldByStatic
      (held.fingerprint, held.dependency) = (package, package)
      return held
    }
    let held = "instances of 1 type"
    let text = TextRenderer().render(ExplainedFindings.report(causes))
    #expect(text.contains("48 \(held) (1.5 KB) in 4 dependencies, still reachable"))
    let few = TextRenderer().render(ExplainedFindings.report(Array(causes.dropLast())))
    #expect(few.contains("36 \(held) (1.1 KB) in a, b, c, still reachable"))
  }

  @Test func theSummaryNamesTheCausesThatFail() {
    #expect(
      TextRenderer().summary(of: ExplainedFindings.report()) == """
        LiveObjects: 3 leaks (1 of them probable) keep 24 objects (800 bytes) alive in demo (pid 12)
        1. retain cycle: Demo.Loader  640 bytes
        2. over-retained by 1 each: Demo.Session  96 bytes
        3. probable retain cycle: Demo.Node  64 bytes

        """)
  }

  @Test func nothingIsCleanWhereMemoryWasNotRead() {
    var builder = CaptureBuilder()
    builder.heapGraph(HeapGraph.Status(missesRoots: true))
    let text = TextRenderer().render(makeReport(of: builder))
    #expect(
      text.hasPrefix("LiveObjects: no leaks were found in demo (pid 12), but not all memory could be read\n"))
    // Nothing is left that could leak.
    #expect(makeReport(of: builder).status == 0)
    builder.objects(of: builder.type("Demo.Loader"), strongCount: nil)
    #expect(makeReport(of: builder).status == 3)
  }

  @Test func aDiffWithoutLeaksSaysWhatWasLeftBehind() {
    var builder = CaptureBuilder()
    builder.heapGraph()
    var report = makeReport(of: builder)
    report.run.failOn = nil
    report.findings = [
      Finding(
        fingerprint: "1", verdict: .growth, type: "Demo.Item", kind: .classInstance, instances: 1, objects: 1,
        bytes: 32)
    ]
    #expect(
      TextRenderer().render(report).hasPrefix(
        "LiveObjects: 1 type of yours left 1 instance (32 bytes) behind in demo (pid 12)\n"))
  }

  @Test func linesAreAsLongAsTheTerminalAllows() {
    let report = ExplainedFindings.report()
    for width in [60, 110, 160] {
      let lines = TextRenderer(listing: Set(TextRenderer.Part.allCases), width: width).render(report).split(
        separator: "\n")
      let paths = lines.filter { $0.contains("→") || $0.hasPrefix("   tests:") }
      #expect(!paths.isEmpty)
      #expect(paths.allSatisfy { $0.count <= width }, "\(paths)")
    }
  }

  @Test func aCauseThatOtherTestsKnowSaysSo() {
    var builder = CaptureBuilder()
    let node = builder.type("Demo.Node")
    builder.heapGraph()
    for number in 1...3 {
      builder.test("T/test\(number)") { builder, _ in
        let object = builder.object(of: node)
        builder.reference(from: object, to: object, property: "next")
      }
    }
    var report = makeReport(of: builder)
    for index in report.findings.indices.dropFirst() { report.findings[index].acceptance = .baseline }
    #expect(TextRenderer().render(report).contains("; known in 2 other tests"))
  }

  @Test func knownFindingsAreCountedByTheirReasons() {
    var report = ExplainedFindings.report()
    report.findings[0].acceptance = .baseline
    report.findings[1].acceptance = .suppression("leak:x")
    report.findings[2].acceptance = .knownIssue
    report.accepted.staleEntries = ["0000000000000001\tDemo.A/test\tDemo.Gone"]
    report.accepted.suppressions = [.init(text: "leak:gone", line: 3, findings: 0)]
    let text = TextRenderer().render(report)
    #expect(text.hasPrefix("LiveObjects: no new leaks in demo (pid 12)\n"))
    #expect(text.contains("\nKnown:          1 finding of the baseline, 1 suppressed, 1 known issue"))
    #expect(
      text.contains(
        "\n1 stale entry in the baseline no longer occurs; --prune-baseline removes it:\n"
          + "  0000000000000001  Demo.Gone  Demo.A/test\n"))
    #expect(text.contains("\n1 suppression matches nothing:\n  line 3: leak:gone\n"))
    let stale = "1 stale entry in the baseline no longer occurs"
    for page in [
      TextRenderer().summary(of: report), MarkdownRenderer.render(report), HTMLRenderer.render(report),
    ] {
      #expect(page.contains(stale))
    }
    report.accepted.change = .pruned
    report.accepted.baselineFile = "/package/.liveobjects-baseline"
    #expect(TextRenderer().render(report).contains("Removed 1 stale entry from .liveobjects-baseline:\n"))
    report.accepted.staleEntries = []
    report.accepted.change = .written(entries: 3)
    #expect(
      TextRenderer().render(report).contains(
        "\nWrote .liveobjects-baseline with 3 entries: review it, and commit it.\n"))
  }

  @Test func aLineWithoutAFileIsNotShown() {
    let frame = ShownFrame(.user("Transport.get(_:)", file: "/<compiler-generated>", line: 11))
    #expect(frame.location.isEmpty)
  }

  @Test func callersWithoutAPlaceAreLeftOut() {
    let witness = SourceFrame.user("Client.get(_:)", file: "/<compiler-generated>", line: nil)
    let caller = SourceFrame.user("Loader.load()", line: 24)
    #expect(
      ShownFrame.frames(of: [witness, witness, caller]).map(\.function) == [
        "Client.get(_:)", "Loader.load()",
      ])
  }

  @Test(
    arguments: [
      ([ExplainedFindings.cycle], "1 leak keeps 20 objects (640 bytes) alive in demo (pid 12)"),
      (
        [ExplainedFindings.probableCycle], "1 probable leak keeps 2 objects (64 bytes) alive in demo (pid 12)"
      ),
      (
        [ExplainedFindings.heldByStatic, ExplainedFindings.growth],
        "no leaks in demo (pid 12)"
      ),
      ([ExplainedFindings.libraryLeak], "no leaks in demo (pid 12)"),
    ])
  func theFirstLineCountsLeaks(findings: [Finding], answer: String) {
    let text = TextRenderer().render(ExplainedFindings.report(findings))
    #expect(text.hasPrefix("LiveObjects: \(answer)\n"))
  }

  @Test func leaksAreNotRuledOutIfReferencesWereNotRead() {
    let report = ExplainedFindings.report([ExplainedFindings.growth], status: .init(wasRead: false))
    let text = TextRenderer().render(report)
    #expect(!text.contains("no leaks"))
    #expect(text.contains("holder unknown"))
    #expect(text.contains("1. Demo.Job  (class)  3 instances"), "growth is all that is known")
    #expect(text.contains("\nnote: The references between objects could not be read"))
    #expect(
      text.hasPrefix("LiveObjects: LEAKS COULD NOT BE EVALUATED: demo (pid 12): references were not read"))
  }

  @Test(arguments: [(1, 1, "by 1"), (1, 1_234, "by 1,234"), (3, 6, "by 2 each"), (3, 4, "by 4 in all")])
  func overRetainedStatesTheExcess(instances: Int, retains: Int, excess: String) {
    var finding = ExplainedFindings.overRetained
    finding.instances = instances
    finding.unexplainedRetains = retains
    #expect(finding.title == "over-retained \(excess): Demo.Session")
    finding.certainty = .probable
    #expect(finding.title == "probably over-retained \(excess): Demo.Session")
  }

  @Test func longPathsAndRemarksAreBroken() {
    var finding = ExplainedFindings.cycle
    finding.path = (0..<12).map { .init(type: "Demo.AVeryLongNameOfAType\($0)", reference: "property") }
    finding.remarks = [Array(repeating: "words", count: 60).joined(separator: " ")]
    let text = TextRenderer().render(ExplainedFindings.report([finding]))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
    #expect(text.contains("\n     → AVeryLongNameOfAType"))
  }

  @Test func aCleanReportIsOneLine() {
    let text = TextRenderer().render(makeReport(of: CaptureBuilder()))
    #expect(text == "LiveObjects: nothing of yours was left behind in demo (pid 12)\n")
  }

  @Test func typesAreListedOnRequest() {
    var builder = CaptureBuilder()
    builder.objects(1_000, of: builder.type("Swift._ContiguousArrayStorage<Swift.UInt8>"), bytes: 4_096)
    let report = makeReport(of: builder)
    #expect(
      TextRenderer().render(report) == "LiveObjects: nothing of yours was left behind in demo (pid 12)\n")
    let text = TextRenderer(listing: [.types]).render(report)
    #expect(text.contains("Swift._ContiguousArrayStorage<Swift.UInt8>"))
  }

  @Test func limitsOfTheRecorderAreNotedOnRequest() {
    var report = makeReport(of: CaptureBuilder())
    report.tracking.details = ["A limit."]
    #expect(
      TextRenderer().render(report) == "LiveObjects: nothing of yours was left behind in demo (pid 12)\n")
    #expect(TextRenderer(listing: [.notes]).render(report).hasSuffix("\nnote: A limit.\n"))
  }

  @Test(arguments: [.noRuntime, .blind, .ready] as [TrackingStatus.State])
  func anUnwatchedProcessIsNeverClean(state: TrackingStatus.State) {
    let status = TrackingStatus(state: state, notes: ["The reason is here."])
    let text = TextRenderer().render(makeReport(of: CaptureBuilder(tracking: status)))
    #expect(text.hasPrefix("LiveObjects: NOTHING WAS WATCHED in demo (pid 12)"))
    let reason = makeReport(of: CaptureBuilder(tracking: status)).tracking.notes[0]
    #expect(text.split(separator: "\n")[0].hasSuffix("anything was left behind: \(reason)"))
    #expect(text.contains("note: The reason is here."))
    #expect(!text.contains("clean"))
  }

  @Test func anEmptyReportSaysSo() {
    #expect(TextRenderer().render(makeReport()).contains("NOTHING WAS WATCHED"))
  }

  @Test func anIncompleteRecordingIsNotClean() {
    let status = TrackingStatus(state: .tracking, droppedRecords: 1)
    let text = TextRenderer().render(makeReport(of: CaptureBuilder(tracking: status)))
    let lines = text.split(separator: "\n")
    #expect(
      lines[0] == "LiveObjects: LEAKS COULD NOT BE EVALUATED: demo (pid 12): 1 object was not recorded")
    #expect(
      lines[1] == "LiveObjects: nothing of yours was found in demo (pid 12), but the recording is incomplete")
    #expect(text.contains("note: 1 object was not recorded"))
  }

  @Test func longListsAreTruncatedWithANote() throws {
    var builder = CaptureBuilder()
    for index in 1...40 { builder.objects(index, of: builder.type("Demo.Type\(index)")) }
    let text = TextRenderer.everything.render(makeReport(of: builder))
    #expect(text.contains("… and 15 more with 120 instances; the JSON report lists them all"))
    #expect(text.contains("… and 20 more types"))
  }

  @Test func manyNotesAreTruncatedWithANote() {
    let status = TrackingStatus(state: .tracking, notes: (1...30).map { "Note \($0)." })
    let text = TextRenderer().render(makeReport(of: CaptureBuilder(tracking: status)))
    #expect(text.hasSuffix("note: Note 25.\n… and 5 more notes; the JSON report has them all\n"))
  }

  @Test func manyCallSitesAreTruncatedWithANote() {
    var builder = CaptureBuilder()
    let type = builder.type("Demo.Node")
    let symbolicator = TableSymbolicator()
    for line in 1...50 {
      symbolicator.define(UInt64(line), [.user("grow()", line: line)])
      builder.objects(of: type, stackTrace: builder.stackTrace([UInt64(line)]))
    }
    let text = TextRenderer.everything.render(makeReport(of: builder, symbolicator: symbolicator))
    #expect(text.contains("… and 47 more call sites"))
  }

  @Test func aCallSiteWithoutALineIsMergedWithOneOfTheSameFunction() {
    var builder = CaptureBuilder()
    let (type, symbolicator) = (builder.type("Demo.Node"), TableSymbolicator())
    symbolicator.define(1, [.user("grow()", line: 7)])
    symbolicator.define(2, [.user("grow()", line: nil)])
    symbolicator.define(3, [.user("grow(by:)", line: nil)])
    for offset: UInt64 in 1...3 {
      builder.objects(of: type, stackTrace: builder.stackTrace([offset]))
    }
    let text = TextRenderer.everything.render(makeReport(of: builder, symbolicator: symbolicator))
    #expect(text.contains("2 ×  grow()     Loader.swift:7\n     1 ×  grow(by:)  Loader.swift\n"))
  }

  @Test func callersOfOneCallSiteAreListedBelowIt() throws {
    try expectGolden(TextRenderer.everything.render(CalledFromManyPlaces().report()), "callers.txt")
  }

  @Test func longTypeNamesKeepTheirEnds() {
    var builder = CaptureBuilder()
    builder.objects(of: builder.type("Demo." + String(repeating: "M", count: 100) + ".testLoad()"))
    let text = TextRenderer.everything.render(makeReport(of: builder))
    #expect(text.contains("\n  Demo.MMMMMMMMMMMMMMMMMMMMMMMMM…MMMMMMMMMMMMMMMMMM.testLoad()  "))
  }

  @Test func longFunctionNamesKeepTheirEnds() {
    var builder = CaptureBuilder()
    let symbolicator = TableSymbolicator()
    symbolicator.define(0x10, [.user(String(repeating: "f", count: 200) + "(end:)", line: 7)])
    builder.objects(of: builder.type("Demo.Node"), stackTrace: builder.stackTrace([0x10]))
    let text = TextRenderer.everything.render(makeReport(of: builder, symbolicator: symbolicator))
    let line = text.split(separator: "\n").first { $0.hasSuffix("fff(end:)  Loader.swift:7") }
    #expect(line?.count == TextRenderer.standardWidth && line?.contains("fff…fff") == true)
  }

  @Test func liveInstancesHaveAColumnIfNotAllAreGrowth() {
    var builder = CaptureBuilder()
    builder.objects(3, of: builder.type("Demo.Node"))
    let analysis = Analysis(
      of: builder.capture, symbolicator: TableSymbolicator(),
      options: .init(baseline: builder.capture.process.next))
    let text = TextRenderer.everything.render(Report(of: [(builder.capture, analysis)]))
    #expect(text.contains("Live objects, leaked or not  new  live      size  kind\n"))
    #expect(text.contains("Demo.Node                      1     3  32 bytes  class\n"))
  }

  @Test func coloursAreWrittenOnlyOnRequest() {
    let report = LeakingProgram().report()
    let colored = TextRenderer(color: true).render(report)
    #expect(colored.contains("\u{1b}[1m"))
    let plain = colored.replacing(/\u{1b}\[[0-2]m/, with: "")
    #expect(plain == TextRenderer().render(report))
  }

  @Test func severalProcessesAreCounted() {
    var first = CaptureBuilder()
    first.objects(of: first.type("Demo.A"))
    let text = TextRenderer().render(
      makeReport(of: first, CaptureBuilder(processID: 13), CaptureBuilder(processID: 14)))
    #expect(
      text.hasPrefix(
        "LiveObjects: 1 type of yours left 1 instance (32 bytes) behind in demo (pid 12) and 2 other processes\n"
      ))
  }
}
