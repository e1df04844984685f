import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture

/// The test to which a survivor is attributed.
@Suite struct TestAttributionTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  // MARK: - Owners

  @Test mutating func aTestWithoutAScopeOwnsAllocationsDuringItsRun() {
    let type = builder.type("Demo.Item")
    builder.objects(of: type)
    builder.test("T/testOne") { builder, _ in builder.objects(2, of: type) }
    builder.objects(of: type)
    builder.test("T/testTwo") { builder, _ in builder.objects(3, of: type) }
    builder.objects(of: type)
    #expect(instancesByTest() == ["": 3, "T/testOne": 2, "T/testTwo": 3])
  }

  @Test mutating func aTestWithAScopeOwnsAllocationsInNestedScopes() {
    let type = builder.type("Demo.Item")
    builder.scope(7, inside: 5)
    builder.scope(8, inside: 7)
    builder.test("S/one()", scope: 5) { builder, _ in builder.objects(of: type, scope: 5) }
    builder.test("S/two()", scope: 6) { builder, _ in
      builder.objects(2, of: type, scope: 6)
      builder.objects(4, of: type, scope: 8)
      builder.objects(8, of: type, scope: 0)
      builder.objects(16, of: type, scope: 9)
    }
    #expect(instancesByTest() == ["S/one()": 5, "S/two()": 2, "": 24])
  }

  @Test mutating func aDiffInATestWithoutAScopeAllocatesForTheTest() {
    let type = builder.type("Demo.Item")
    builder.scope(4, inside: 3)
    builder.test("T/testOne") { builder, _ in builder.objects(of: type, scope: 4) }
    #expect(instancesByTest() == ["T/testOne": 1])
  }

  @Test mutating func casesAreDistinguishedByTheirArguments() {
    let type = builder.type("Demo.Item")
    for (scope, arguments) in [(1, "1"), (2, "2"), (3, "1")] as [(UInt32, String)] {
      builder.test("S/load(count:)", arguments: arguments, scope: scope) { builder, scope in
        builder.objects(of: type, scope: scope)
      }
    }
    let findings = analyse(builder).findings
    #expect(findings.map(\.testCase) == ["1", "2"])
    #expect(findings.map(\.instances) == [2, 1])
    #expect(Set(findings.map(\.fingerprint)).count == 1)
  }

  // MARK: - Leaks

  @Test mutating func equalCyclesOfTwoTestsAreTwoFindingsWithOneFingerprint() {
    builder.test("T/testOne") { builder, _ in Self.leakCycle(in: &builder) }
    builder.test("T/testTwo") { builder, _ in
      Self.leakCycle(in: &builder)
      Self.leakCycle(in: &builder)
    }
    let findings = analyse(builder).findings
    #expect(findings.map(\.test) == ["T/testTwo", "T/testOne"])
    #expect(findings.map(\.instances) == [2, 1])
    #expect(Set(findings.map(\.fingerprint)).count == 1)
  }

  @Test mutating func aGroupBelongsToTheTestOfTheFirstObjectOfItsCore() {
    let type = builder.type("Demo.Node")
    var nodes: [UInt32] = []
    nodes.append(builder.object(of: type))
    builder.test("T/testOne") { builder, _ in nodes.append(builder.object(of: type)) }
    builder.test("T/testTwo") { builder, _ in nodes.append(builder.object(of: type)) }
    for (index, node) in nodes.enumerated() {
      builder.reference(from: node, to: nodes[(index + 1) % 3], property: "next")
    }
    #expect(analyse(builder).findings.map(\.test) == ["T/testOne"])
  }

  @Test mutating func anUnattributedGroupBelongsToTheTestOfItsFirstVictim() {
    let core = Self.leakCycle(in: &builder)
    builder.test("T/testOne") { builder, _ in Self.addVictim(of: core, to: &builder) }
    let findings = analyse(builder).findings
    #expect(findings.map(\.test) == ["T/testOne"])
    #expect(findings.map(\.victims) == [1])
  }

  @Test mutating func aVictimOfAnOlderGroupIsReportedIfOnlyItsTestIsEvaluated() {
    let core = Self.leakCycle(in: &builder)
    let test = builder.test("T/testOne") { builder, _ in Self.addVictim(of: core, to: &builder) }
    let findings = analyse(builder, options: Analysis.Options(test: test)).findings
    #expect(findings.map(\.verdict) == [.retainCycle])
    #expect(findings.map(\.test) == ["T/testOne"])
  }

  @Test mutating func aVictimOfAnOlderGroupIsReportedAfterABaseline() {
    let core = Self.leakCycle(in: &builder)
    let baseline = builder.capture.process.next + 1
    Self.addVictim(of: core, to: &builder)
    let findings = analyse(builder, options: Analysis.Options(baseline: baseline)).findings
    #expect(findings.map(\.verdict) == [.retainCycle])
    #expect(findings.map(\.victims) == [1])
  }

  // MARK: - By stack traces

  @Test(arguments: ["closure #1 in closure #2 in LoaderTests.load()", "LoaderTests.load()"])
  mutating func workWithoutAScopeBelongsToTheTestOnItsStackTrace(function: String) {
    symbolicator.define(0x10, [.user(function, module: "DemoTests")])
    builder.test("DemoTests.LoaderTests/load()", scope: 5)
    builder.test("DemoTests.LoaderTests/store()", scope: 6)
    let trace = builder.stackTrace([0x10, 0x20])
    Self.leakCycle(in: &builder, trace)
    builder.global(0x100, to: builder.object(of: builder.type("Demo.Held"), stackTrace: trace))
    builder.root(.stack(thread: 7), to: builder.object(of: builder.type("Demo.Grown"), stackTrace: trace))
    #expect(
      tests() == [
        .retainCycle: "DemoTests.LoaderTests/load()", .heldBy: "DemoTests.LoaderTests/load()",
        .growth: "DemoTests.LoaderTests/load()",
      ])
  }

  @Test mutating func equalLeaksOfSeveralThreadsBelongToTheTestsOnTheirStackTraces() {
    for (offset, name) in [(0x10, "load()"), (0x20, "store()")] as [(UInt64, String)] {
      symbolicator.define(offset, [.user("closure #1 in LoaderTests.\(name)", module: "DemoTests")])
      builder.test("DemoTests.LoaderTests/\(name)", scope: UInt32(offset))
      Self.leakCycle(in: &builder, builder.stackTrace([offset]))
    }
    #expect(
      Set(analyse(builder, symbolicator).findings.map(\.test)) == [
        "DemoTests.LoaderTests/load()", "DemoTests.LoaderTests/store()",
      ])
  }

  @Test(
    "a stack trace that names no single test, or a test of its own scope, proves nothing",
    arguments: [
      ["LoaderTests.helper()"], ["LoaderTests.load()", "LoaderTests.store()"], ["LoaderTests.add(count:)"],
    ])
  mutating func anAmbiguousStackTraceNamesNoTest(functions: [String]) {
    symbolicator.define(0x10, functions.map { .user($0, module: "DemoTests") })
    builder.test("DemoTests.LoaderTests/load()", scope: 5)
    builder.test("DemoTests.LoaderTests/store()", scope: 6)
    for scope: UInt32 in [7, 8] {
      builder.test("DemoTests.LoaderTests/add(count:)", arguments: "\(scope)", scope: scope)
    }
    Self.leakCycle(in: &builder, builder.stackTrace([0x10]))
    #expect(analyse(builder, symbolicator).findings.map(\.test) == [nil])
  }

  @Test mutating func workOfATestThatFailedIsNotReported() {
    symbolicator.define(0x10, [.user("closure #1 in LoaderTests.load()", module: "DemoTests")])
    builder.test("DemoTests.LoaderTests/load()", .failed, scope: 5)
    Self.leakCycle(in: &builder, builder.stackTrace([0x10]))
    #expect(analyse(builder, symbolicator).findings.isEmpty)
  }

  // MARK: - Held objects

  @Test mutating func aHeldObjectBelongsToTheTestThatAllocatedIt() {
    let cache = builder.object(of: builder.type("Demo.Cache"))
    builder.global(0x100, to: cache)
    let entry = builder.type("Demo.Entry")
    for test in ["T/testOne", "T/testTwo"] {
      builder.test(test) { builder, _ in
        let object = builder.object(of: entry)
        builder.reference(from: cache, to: object, ReferenceLabel(.member))
      }
    }
    let held = analyse(builder).findings.filter { $0.type == "Demo.Entry" }
    #expect(held.map(\.verdict) == [.heldBy, .heldBy])
    #expect(held.map(\.test) == ["T/testOne", "T/testTwo"])
  }

  // MARK: - Tests that are not evaluated

  @Test(arguments: [.failed, .skipped, .running] as [TestDescription.Outcome])
  mutating func anUnfinishedTestHasNoFindings(outcome: TestDescription.Outcome) {
    builder.heapGraph()
    builder.test("T/testFailing", outcome) { builder, _ in Self.leaveOneOfEachBehind(in: &builder) }
    #expect(analyse(builder).findings.isEmpty)
    builder.test("T/testPassing", .leaked) { builder, _ in Self.leaveOneOfEachBehind(in: &builder) }
    #expect(analyse(builder).findings.map(\.verdict) == [.retainCycle, .heldBy, .growth])
    #expect(analyse(builder).findings.allSatisfy { $0.test == "T/testPassing" && $0.instances == 1 })
  }

  @Test mutating func survivorsOfAFailedTestAreCountedAsLive() {
    let item = builder.type("Demo.Item")
    builder.test("T/testFailing", .failed) { builder, _ in builder.objects(2, of: item) }
    let analysis = analyse(builder)
    #expect(analysis.types.map(\.live) == [2])
    #expect(analysis.findings.isEmpty)
  }

  @Test mutating func aPassedTestIsAccountableForItsPartOfAFailedTestsGroup() {
    var core: [UInt32] = []
    builder.test("T/testFailing", .failed) { builder, _ in core = Self.leakCycle(in: &builder) }
    #expect(analyse(builder).findings.isEmpty)
    builder.test("T/testPassing") { builder, _ in Self.addVictim(of: core, to: &builder) }
    #expect(analyse(builder).findings.map(\.test) == ["T/testPassing"])
  }

  // MARK: - One test evaluated

  @Test mutating func onlyTheEvaluatedTestHasFindings() {
    builder.heapGraph()
    var tests: [Int] = []
    for (name, outcome) in [("one", .passed), ("two", .running), ("three", .running)]
      as [(String, TestDescription.Outcome)]
    {
      tests.append(builder.test(name, outcome) { builder, _ in Self.leaveOneOfEachBehind(in: &builder) })
    }
    let analysis = analyse(builder, options: Analysis.Options(test: tests[1]))
    #expect(analysis.findings.map(\.verdict) == [.retainCycle, .heldBy, .growth])
    #expect(analysis.findings.allSatisfy { $0.test == "two" && $0.instances == 1 })
    #expect(Set(analysis.types.map(\.live)) == [1])
  }

  @Test mutating func selectedObjectsAreEvaluatedWhateverTheOutcomeOfTheirTest() {
    let item = builder.type("Demo.Item")
    builder.test("T/testRunning", .running) { builder, _ in builder.objects(2, of: item) }
    let findings = analyse(builder, options: Analysis.Options(objects: [1])).findings
    #expect(findings.map(\.instances) == [1])
  }

  @Test(arguments: [-1, 1, 7])
  mutating func aMissingTestHasNoFindings(test: Int) {
    builder.heapGraph()
    Self.leaveOneOfEachBehind(in: &builder)
    let options = Analysis.Options(objects: [0, 1], test: test)
    #expect(analyse(builder, options: options).findings.isEmpty)
    builder.test("T/testOne") { builder, _ in Self.leaveOneOfEachBehind(in: &builder) }
    #expect(analyse(builder, options: options).findings.isEmpty)
  }

  @Test mutating func onlyObjectsFromBeforeTheTestAreOlderHolders() {
    let (owner, item) = (builder.type("Demo.Owner"), builder.type("Demo.Item"))
    var tests: [Int] = []
    let older = builder.object(of: owner)
    builder.heapGraph(HeapGraph.Status(threads: 2))
    for scope: UInt32 in [1, 2] {
      tests.append(
        builder.test("S/\(scope)", .running, scope: scope) { builder, scope in
          let younger = builder.object(of: owner)
          let item = builder.object(of: item, scope: scope)
          builder.reference(from: scope == 1 ? older : younger, to: item, property: "item")
        })
    }
    let verdicts = tests.map { analyse(builder, options: Analysis.Options(test: $0)).findings.map(\.verdict) }
    #expect(verdicts == [[.heldBy], [.overRetained]])
  }
}

extension TestAttributionTests {
  /// The test of each finding.
  private func tests() -> [Finding.Verdict: String?] {
    Dictionary(uniqueKeysWithValues: analyse(builder, symbolicator).findings.map { ($0.verdict, $0.test) })
  }

  private func instancesByTest() -> [String: Int] {
    Dictionary(analyse(builder).findings.map { ($0.test ?? "", $0.instances) }, uniquingKeysWith: +)
  }

  @discardableResult
  private static func leakCycle(in builder: inout CaptureBuilder, _ stackTrace: UInt32 = 0) -> [UInt32] {
    let (a, b) = (
      builder.object(of: builder.type("Demo.A"), stackTrace: stackTrace),
      builder.object(of: builder.type("Demo.B"), stackTrace: stackTrace)
    )
    builder.cycle(a, "b", b, "a")
    return [a, b]
  }

  private static func addVictim(of core: [UInt32], to builder: inout CaptureBuilder) {
    let victim = builder.object(of: builder.type("Demo.Victim"))
    builder.reference(from: core[0], to: victim, property: "victim")
  }

  /// A cycle, an object that a variable holds, and one without a known holder.
  private static func leaveOneOfEachBehind(in builder: inout CaptureBuilder) {
    leakCycle(in: &builder)
    builder.global(0x100, to: builder.object(of: builder.type("Demo.Held")))
    builder.root(.stack(thread: 7), to: builder.object(of: builder.type("Demo.Grown")))
  }
}
