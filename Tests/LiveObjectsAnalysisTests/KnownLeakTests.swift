import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Leaks that an assertion reported and its test expects.
@Suite struct KnownLeakTests {
  private var builder = CaptureBuilder()

  init() {
    builder.scope(6, inside: 5)
    builder.scope(7, inside: 6)
    builder.markKnownIssue(6)
  }

  @Test mutating func survivorsOfAKnownScopeAreKnownAndBelongToTheirTest() {
    builder.test("S/one()", scope: 5) { builder, _ in Self.leakCycle(in: &builder, 6) }
    let findings = analyse(builder).findings
    #expect(findings.map(\.isKnownIssue) == [true])
    #expect(findings.map(\.test) == ["S/one()"])
  }

  @Test mutating func survivorsOfANestedScopeAreKnown() {
    builder.test("S/one()", scope: 5) { builder, _ in Self.leakCycle(in: &builder, 7) }
    #expect(analyse(builder).findings.map(\.isKnownIssue) == [true])
  }

  @Test(arguments: [6, 7] as [UInt32])
  mutating func allocationsAfterTheAssertionAreNotKnown(scope: UInt32) {
    let test = builder.test("S/one()", scope: 5) { builder, _ in
      Self.leakCycle(in: &builder, scope)
      builder.markKnownIssue(6, before: builder.capture.process.next + 1)
      Self.leakCycle(in: &builder, scope)
    }
    let findings = analyse(builder).findings
    #expect(findings.map(\.isKnownIssue) == [false, true])
    #expect(findings.map(\.instances) == [1, 1])
    #expect(findings.map(\.test) == ["S/one()", "S/one()"])
    #expect(analyse(builder, options: Analysis.Options(test: test)).findings.map(\.isKnownIssue) == [false])
  }

  @Test mutating func aCycleClosedByALaterObjectIsNotKnown() {
    builder.test("S/one()", scope: 5) { builder, _ in
      builder.markKnownIssue(6, before: builder.capture.process.next + 2)
      Self.leakCycle(in: &builder, 6)
    }
    #expect(analyse(builder).findings.map(\.isKnownIssue) == [false])
  }

  @Test(arguments: [(6, 7), (7, 6)] as [(UInt32, UInt32)])
  mutating func nestedKnownScopesAreKnownUntilTheLaterEnd(first: UInt32, last: UInt32) {
    builder.test("S/one()", scope: 5) { builder, _ in
      builder.markKnownIssue(first, before: builder.capture.process.next + 1)
      Self.leakCycle(in: &builder, 7)
      builder.markKnownIssue(last, before: builder.capture.process.next + 1)
    }
    #expect(analyse(builder).findings.map(\.isKnownIssue) == [true])
  }

  @Test mutating func anEqualUnknownLeakIsASeparateFinding() {
    builder.test("S/one()", scope: 5) { builder, _ in
      Self.leakCycle(in: &builder, 6)
      Self.leakCycle(in: &builder, 5)
    }
    let findings = analyse(builder).findings
    #expect(findings.map(\.isKnownIssue) == [false, true])
    #expect(findings.map(\.instances) == [1, 1])
    #expect(findings.map(\.test) == ["S/one()", "S/one()"])
    #expect(Set(findings.map(\.fingerprint)).count == 1)
  }

  @Test(arguments: [5, 8] as [UInt32])
  mutating func aPartlyKnownCycleIsNotKnown(other: UInt32) {
    builder.test("S/one()", scope: 5) { builder, _ in Self.leakCycle(in: &builder, 6, other) }
    #expect(analyse(builder).findings.map(\.isKnownIssue) == [false])
  }

  @Test mutating func anUnattributedVictimLeavesACycleKnown() {
    builder.test("S/one()", scope: 5) { builder, _ in Self.leakCycle(in: &builder, 0, 6) }
    let findings = analyse(builder).findings
    #expect(findings.map(\.isKnownIssue) == [true])
    #expect(findings.map(\.test) == ["S/one()"])
  }

  @Test mutating func aLeakOutsideOfTestsMayBeKnown() {
    Self.leakCycle(in: &builder, 6)
    Self.leakCycle(in: &builder, 9)
    let findings = analyse(builder).findings
    #expect(findings.map(\.isKnownIssue) == [false, true])
    #expect(findings.map(\.test) == [nil, nil])
  }

  @Test mutating func knownLeaksAreNotReportedWhenOneTestIsEvaluated() {
    let test = builder.test("S/one()", scope: 5) { builder, _ in Self.leakCycle(in: &builder, 6) }
    #expect(analyse(builder, options: Analysis.Options(test: test)).findings.isEmpty)
    let other = builder.test("S/two()", scope: 8) { builder, _ in Self.leakCycle(in: &builder, 8) }
    #expect(analyse(builder, options: Analysis.Options(test: other)).findings.map(\.test) == ["S/two()"])
  }

  @Test mutating func heldObjectsAndGrowthMayBeKnown() {
    builder.heapGraph()
    builder.test("S/one()", scope: 5) { builder, _ in
      for scope: UInt32 in [5, 6] {
        builder.global(0x100, to: builder.object(of: builder.type("Demo.Held"), scope: scope))
        builder.root(.stack(thread: 7), to: builder.object(of: builder.type("Demo.Grown"), scope: scope))
      }
    }
    let findings = analyse(builder).findings
    #expect(findings.map(\.verdict) == [.heldBy, .heldBy, .growth, .growth])
    #expect(findings.map(\.isKnownIssue) == [false, true, false, true])
  }

  @Test mutating func casesOfTheSameNameShareKnownLeaks() {
    for _ in 0..<2 {
      builder.test("S/one()", scope: 5) { builder, _ in Self.leakCycle(in: &builder, 6) }
    }
    #expect(analyse(builder).findings.map(\.instances) == [2])
  }

  @Test(arguments: [.failed, .skipped, .running] as [TestDescription.Outcome])
  mutating func aTestThatIsNotEvaluatedHasNoKnownLeaks(outcome: TestDescription.Outcome) {
    builder.test("S/one()", outcome, scope: 5) { builder, _ in Self.leakCycle(in: &builder, 6) }
    #expect(analyse(builder).findings.isEmpty)
  }

  private static func leakCycle(in builder: inout CaptureBuilder, _ scope: UInt32, _ other: UInt32? = nil) {
    let a = builder.object(of: builder.type("Demo.A"), scope: scope)
    let b = builder.object(of: builder.type("Demo.B"), scope: other ?? scope)
    builder.cycle(a, "b", b, "a")
  }
}
