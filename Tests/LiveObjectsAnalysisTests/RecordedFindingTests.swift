import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture

/// Findings that tests failed with are in the report on their process.
@Suite struct RecordedFindingTests {
  private var builder = CaptureBuilder()

  init() { builder.heapGraph() }

  @Test mutating func aVerdictIsKeptIfThreadsRunAtTheEnd() throws {
    let test = leakToken()
    let reported = failing(test)
    #expect(reported.map(\.verdict) == [.overRetained])
    builder.heapGraph(HeapGraph.Status(threads: 2))
    #expect(analyse(builder).findings.map(\.plain) == reported.map(\.plain))
  }

  @Test(arguments: [nil, HeapGraph(status: HeapGraph.Status(wasRead: false))])
  mutating func aVerdictIsKeptIfReferencesAreNotReadAtTheEnd(graph: HeapGraph?) throws {
    let test = leakCycle()
    let reported = failing(test)
    #expect(reported.map(\.verdict) == [.retainCycle])
    var capture = builder.capture
    capture.graph = graph
    #expect(
      Analysis(of: capture, symbolicator: TableSymbolicator()).findings.map(\.plain) == reported.map(\.plain))
  }

  @Test mutating func aVerdictIsKeptIfTheObjectSeemsHeldAtTheEnd() {
    let test = leakToken()
    let reported = failing(test)
    builder.root(.stack(thread: 7), to: 0)
    builder.global(0x100, to: 0)
    #expect(analyse(builder).findings.map(\.plain) == reported.map(\.plain))
  }

  @Test mutating func eachLeakIsReportedOnce() {
    let tests = [leakCycle(), leakCycle(), leakToken()]
    let reported = tests.flatMap { failing($0) }
    let findings = analyse(builder).findings
    #expect(Set(findings.map(\.plain)) == Set(reported.map(\.plain)))
    #expect(findings.count == 3)
  }

  @Test mutating func laterEqualLeaksAreMerged() {
    let type = builder.type("Demo.Node")
    let test = builder.test("S/one()", scope: 5) { builder, _ in builder.leakItself(type, scope: 5) }
    let reported = failing(test)
    builder.leakItself(type, scope: 5)
    let findings = analyse(builder).findings
    #expect(findings.map(\.fingerprint) == [reported[0].fingerprint, reported[0].fingerprint])
    #expect(findings.map(\.instances) == [1, 1])
  }

  @Test mutating func anObjectAttachedByALaterTestIsAVictim() {
    let test = leakToken()
    let reported = failing(test)
    builder.heapGraph(HeapGraph.Status(threads: 2))
    let type = builder.type("Demo.Item")
    builder.test("T/testLater") { builder, _ in
      builder.reference(from: 0, to: builder.object(of: type), property: "item")
    }
    #expect(analyse(builder).findings.map(\.plain) == reported.map(\.plain))
  }

  @Test mutating func aLaterTestDoesNotFailForIt() {
    let test = leakCycle()
    _ = failing(test)
    let type = builder.type("Demo.Item")
    let later = builder.test("T/testLater") { builder, _ in
      builder.reference(from: 0, to: builder.object(of: type), property: "item")
    }
    #expect(analyse(builder, options: Analysis.Options(test: later)).findings.isEmpty)
  }

  @Test mutating func itsHintIsKept() throws {
    let type = builder.type("Demo.Node")
    let test = builder.test("T/testOne") { builder, _ in
      let node = builder.object(of: type)
      builder.reference(from: node, to: node, ReferenceLabel(.objectProperty, text: "parent"))
    }
    let hint = try #require(failing(test).first?.hint)
    #expect(hint.action == .setToNil)
    #expect(analyse(builder).findings.map(\.hint) == [hint])
  }

  // MARK: - Deallocated since

  @Test mutating func aDeallocatedObjectIsNoLeakAndIsReported() {
    let test = leakToken()
    let reported = failing(test)
    builder.deallocate(0)
    let analysis = analyse(builder)
    #expect(analysis.findings.isEmpty)
    #expect(analysis.released.map(\.plain) == reported.map(\.plain))
  }

  @Test mutating func anotherObjectAtTheSameAddressIsDifferent() {
    let type = builder.type("Demo.Node")
    let test = builder.test("T/testOne") { builder, _ in builder.leakItself(type) }
    _ = failing(test)
    builder.reuse(0)
    let analysis = analyse(builder)
    #expect(analysis.findings.map(\.test) == [nil])
    #expect(analysis.released.count == 1)
  }

  @Test mutating func remainingInstancesAreCounted() {
    let type = builder.type("Demo.Node")
    let test = builder.test("T/testOne") { builder, _ in
      for _ in 0..<3 { builder.leakItself(type) }
    }
    #expect(failing(test).map(\.instances) == [3])
    builder.deallocate(1)
    let analysis = analyse(builder)
    #expect(analysis.findings.map(\.instances) == [2])
    #expect(analysis.findings.map(\.bytes) == [64])
    #expect(analysis.released.isEmpty)
  }

  // MARK: - Other captures

  @Test mutating func findingsOfFailedTestsSurviveACrash() throws {
    let tests = [leakCycle(), leakToken()]
    let reported = tests.flatMap { failing($0) }
    let capture = try Capture(decoding: builder.journal())
    let findings = Analysis(of: capture, symbolicator: TableSymbolicator()).findings
    #expect(findings.map(\.plain) == reported.map(\.plain))
  }

  @Test mutating func aFindingIsDecodedAsEncoded() throws {
    let reported = failing(leakCycle()) + failing(leakToken())
    let decoded = try Capture(decoding: builder.bytes)
    #expect(decoded.testFindings == builder.capture.testFindings)
    #expect(
      Analysis(of: decoded, symbolicator: TableSymbolicator()).findings.map(\.plain) == reported.map(\.plain))
  }

  @Test mutating func unreadableContentIsIgnored() {
    let test = leakCycle()
    let reported = analyse(builder).findings
    let objects = failing(test).flatMap(\.members)
    let content = builder.capture.testFindings[0].content
    let prefixes = stride(from: 0, to: content.count, by: 7).map { Array(content[..<$0]) }
    for damaged in prefixes + [[9] + content.dropFirst()] {
      var other = CaptureBuilder()
      other.heapGraph()
      (builder, other) = (other, builder)
      let again = leakCycle()
      builder.fail(again, with: objects, content: damaged)
      #expect(analyse(builder).findings == reported)
      (builder, other) = (other, builder)
    }
  }

  @Test mutating func anObjectFilterDisablesRecordedFindings() {
    let test = leakToken()
    _ = failing(test)
    builder.heapGraph(HeapGraph.Status(threads: 2))
    builder.root(.stack(thread: 7), to: 0)
    let findings = analyse(builder, options: Analysis.Options(objects: [0])).findings
    #expect(findings.map(\.verdict) == [.growth])
  }
}

extension RecordedFindingTests {
  /// Fails a test with its findings.
  private mutating func failing(_ test: Int) -> [Finding] {
    let findings = analyse(builder, options: Analysis.Options(test: test)).findings
    builder.fail(test, with: findings)
    return findings
  }

  private mutating func leakToken() -> Int {
    let (token, held) = (builder.type("Demo.Token"), builder.type("Demo.Held"))
    return builder.test("T/test\(builder.capture.tests.count)") { builder, _ in
      let token = builder.object(of: token)
      builder.reference(from: token, to: builder.object(of: held), property: "held")
    }
  }

  private mutating func leakCycle() -> Int {
    let (a, b) = (builder.type("Demo.A"), builder.type("Demo.B"))
    return builder.test("T/test\(builder.capture.tests.count)") { builder, _ in
      let (a, b) = (builder.object(of: a), builder.object(of: b))
      builder.cycle(a, "b", b, "a")
    }
  }
}

extension Finding {
  /// The findings of a report.
  fileprivate var plain: Finding {
    var finding = self
    finding.members = []
    return finding
  }
}
