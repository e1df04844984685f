import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Extreme heaps: time and memory of an analysis grow with their size, not with its square.
@Suite struct HostileHeapTests {
  /// A chain of objects of different types, held by a global variable, with a finding for each.
  private func chain(_ count: Int, conservativeAt position: Int? = nil) -> CaptureBuilder {
    var builder = CaptureBuilder()
    let next = builder.label(ReferenceLabel(.property, text: "next"))
    let guess = builder.label(ReferenceLabel(.memory, ownership: .conservative, text: "guess"))
    for index in 0..<count { builder.objects(of: builder.type("Demo.Type\(index)")) }
    builder.references(
      (1..<count).map { index in
        Reference(from: UInt32(index - 1), to: UInt32(index), label: index == position ? guess : next)
      })
    builder.global(0x900, to: 0)
    return builder
  }

  private func analyseInTime(_ builder: CaptureBuilder) -> [Finding] {
    var findings: [Finding] = []
    #expect(processorSeconds { findings = analyse(builder).findings } < mostProcessorSeconds)
    return findings
  }

  @Test func pathsHaveABoundedLengthAtEachDepth() throws {
    let findings = analyseInTime(chain(1500))
    #expect(findings.count == 1500)
    #expect(findings.allSatisfy { $0.path.count <= 70 })
    let deepest = try #require(findings.first { $0.type == "Demo.Type1499" })
    #expect(steps(deepest).prefix(3) == ["global in demo", "Demo.Type0.next", "Demo.Type1.next"])
    #expect(steps(deepest).filter { $0.hasPrefix("…") } == ["….next"])
    #expect(steps(deepest).last == "Demo.Type1498.next")
  }

  @Test(arguments: [1, 50, 120, 199])
  func aHiddenConservativeReferenceMakesAFindingProbable(position: Int) throws {
    let findings = analyse(chain(200, conservativeAt: position)).findings
    for index in [position - 1, position, 199] {
      let finding = try #require(findings.first { $0.type == "Demo.Type\(index)" })
      #expect(finding.certainty == (index < position ? .definite : .probable))
    }
  }

  /// The path to an object is complete as long as its ends meet.
  @Test func shortPathsAreComplete() throws {
    let findings = analyse(chain(70)).findings
    for index in 0..<70 {
      let finding = try #require(findings.first { $0.type == "Demo.Type\(index)" })
      let isWhole = index <= 64
      #expect(finding.path.contains { $0.type == "…" } != isWhole)
      // Each step but the variable's names its type once.
      if isWhole { #expect(finding.path.count == index + 1) }
    }
  }

  @Test func manyObjectsAtTheEndOfADeepHeapAreHeld() {
    let depth = 40_000
    var builder = CaptureBuilder()
    builder.objects(depth, of: builder.type("", kind: .closureContextOrBox))
    builder.objects(depth, of: builder.type("Demo.Leaf"))
    let next = builder.label(ReferenceLabel(.content))
    builder.references(
      (1..<2 * depth).map { index in
        Reference(from: UInt32(min(index, depth) - 1), to: UInt32(index), label: next)
      })
    builder.global(0x900, to: 0)
    let findings = analyseInTime(builder)
    #expect(findings.map(\.instances) == [depth])
    #expect(findings.map(\.verdict) == [.heldBy])
  }

  /// Cycles of a thousand objects, each with one reference to the next.
  private func cycles(_ count: Int, through label: ReferenceLabel) -> CaptureBuilder {
    let length = 1000
    var builder = CaptureBuilder()
    builder.objects(count * length, of: builder.type("Demo.Node"))
    let next = builder.label(label)
    builder.references(
      (0..<count * length).map { index in
        let isLast = index % length == length - 1
        return Reference(
          from: UInt32(index), to: UInt32(isLast ? index + 1 - length : index + 1), label: next)
      })
    builder.heapGraph()
    return builder
  }

  /// Their paths are compared, which those through properties are not.
  @Test func cyclesThroughSetsTakeLittleMoreTime() {
    let (sets, properties) = (
      cycles(30, through: ReferenceLabel(.member)),
      cycles(30, through: ReferenceLabel(.property, text: "next"))
    )
    let least = processorSeconds { #expect(analyse(properties).findings.count == 1) }
    let seconds = processorSeconds { #expect(analyse(sets).findings.count == 1) }
    #expect(seconds < 60 * least + 1)
  }

  @Test func longNamesOfCollectionsAreRead() {
    var builder = CaptureBuilder()
    for index in 0..<100 {
      let element =
        "Demo.T\(index)" + String(repeating: "<A", count: 1300) + String(repeating: ">", count: 1300)
      builder.objects(of: builder.type("Swift._ContiguousArrayStorage<\(element)>", image: nil))
    }
    builder.heapGraph()
    #expect(analyseInTime(builder).count == 100)
  }

  @Test func aClosureThatCapturedManyObjectsNamesNoneSelf() {
    let count = 8000
    var builder = CaptureBuilder()
    builder.objects(of: builder.type("", kind: .closureContextOrBox))
    for index in 0..<count { builder.objects(of: builder.type("Demo.Type\(index)")) }
    let capture = builder.label(ReferenceLabel(.capture, text: "Demo.Base"))
    builder.references((1...count).map { Reference(from: 0, to: UInt32($0), label: capture) })
    builder.global(0x900, to: 0)
    let findings = analyseInTime(builder)
    #expect(findings.count == count)
    #expect(!findings.contains { $0.path.contains { $0.reference == "self" } })
  }

  @Test func theNumberOfRemarksIsLimited() {
    var builder = CaptureBuilder()
    for index in 0..<100 {
      let object = builder.object(of: builder.type("Demo.Node"))
      builder.reference(from: object, to: object, property: "me")
      builder.retainSite(object, stackTrace: 0, retains: UInt32(index + 5), releases: 0)
    }
    let findings = analyse(builder).findings
    #expect(findings.map(\.instances) == [100])
    #expect(findings.map(\.remarks.count) == [16])
  }

  @Test func manyUnreadableTypesInManyImagesAreAnalysedInTime() {
    var builder = CaptureBuilder()
    for index in 0..<10_000 { builder.image("/app/lib\(index).so") }
    for _ in 0..<10_000 { builder.objects(of: builder.type("", kind: .other, image: nil)) }
    var types: [TypeGrowth] = []
    #expect(processorSeconds { types = analyse(builder).types } < mostProcessorSeconds)
    #expect(types.map(\.type) == ["unreadable type"])
    #expect(types.map(\.live) == [10_000])
  }

  @Test func objectsOfFailedTestsMayShareOneAddress() {
    let objects = (0..<30_000).map {
      LiveObject(address: 64, bytes: 32, sequence: UInt64($0), type: 0, strongCount: 1)
    }
    var capture = Capture(
      process: ProcessDescription(id: 12, executable: "/app/demo"),
      tracking: TrackingStatus(state: .tracking))
    capture.types = [TypeDescription(kind: .classInstance, name: "Demo.Node")]
    capture.objects = objects
    capture.tests = [
      TestDescription(library: .testing, outcome: .leaked, id: "T/testOne", sequenceNumbers: 0..<40_000)
    ]
    let finding = Finding(
      fingerprint: "0123456789abcdef", verdict: .retainCycle, type: "Demo.Node", kind: .classInstance,
      instances: 1,
      objects: 1, bytes: 32)
    capture.testFindings = objects.map {
      TestFinding(
        test: 0, objects: [TestFinding.Object($0, instance: 0, isCore: true)], content: finding.encoded)
    }
    var findings: [Finding] = []
    let seconds = processorSeconds {
      findings = Analysis(of: capture, symbolicator: TableSymbolicator()).findings
    }
    #expect(seconds < mostProcessorSeconds)
    #expect(findings.contains { $0.verdict == .retainCycle })
  }
}
