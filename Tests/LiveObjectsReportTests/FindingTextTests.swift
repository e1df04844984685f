import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsReport
import Testing

@Suite struct FindingTextTests {
  @Test func aLeakHasItsPathAndCallSite() {
    #expect(
      FindingText(ExplainedFindings.cycle).lines == [
        "retain cycle: Demo.Loader (5 instances, 20 objects, 640 bytes)",
        "  Loader.client → ClientSpy.requests[0].completion → closure #1 in Loader.load(completion:) → self (cycle closes)",
        "  allocated at ClientSpy.get(_:) Loader.swift:9 (5 × [Request] and closure or box)",
        "  allocated at makeSUT() LoaderTests.swift:42, from LoaderTests.testLoad() LoaderTests.swift:17 (5 × Loader)",
      ])
  }

  @Test func anOverRetainedObjectHasItsRetainingCallSite() {
    #expect(
      FindingText(ExplainedFindings.overRetained).lines == [
        "over-retained by 1 each: Demo.Session (2 instances, 96 bytes)",
        "  allocated at Session.open() Loader.swift:8",
        "  retained at Session.keep() Loader.swift:12, from Session.open() Loader.swift:9 (+2)",
        "  note: One more retain was made where the recorder cannot see it.",
      ])
  }

  @Test func aHeldObjectHasItsHolder() {
    let lines = FindingText(ExplainedFindings.heldByStatic).lines
    #expect(lines[0] == "held by static Registry.shared: Demo.Item (12 instances, 384 bytes)")
    #expect(lines[1] == "  static Registry.shared.byName[value] → Item")
  }

  @Test func aCollectionHasItsPropertyAndItsElements() {
    let finding = Finding(
      fingerprint: "", verdict: .heldBy, type: "[Swift.String: [Swift.Int]]", kind: .dictionaryStorage,
      instances: 31, objects: 31, bytes: 2048,
      path: [
        Finding.PathStep(type: "static Demo.Registry.shared", reference: ""),
        Finding.PathStep(type: "Demo.Registry", reference: "byName"),
      ])
    var counted = finding
    counted.elements = 30
    #expect(
      FindingText(counted).lines == [
        "held by static Registry.shared.byName: [String: [Int]] (30 elements, 31 objects, 2.0 KB)",
        "  static Registry.shared.byName → [String: [Int]]",
      ])
    #expect(FindingText(finding).lines[0].hasSuffix("(31 objects, 2.0 KB)"))
  }

  @Test func theBytesOfDataAreCounted() {
    var finding = Finding(
      fingerprint: "", verdict: .heldBy, type: "Foundation.Data", kind: .dataStorage, instances: 1,
      objects: 1, bytes: 65, path: [Finding.PathStep(type: "global Demo.received", reference: "")])
    finding.elements = 5000
    #expect(
      FindingText(finding).lines[0]
        == "held by global received: Data (5,000 bytes of data, 1 object, 65 bytes)")
  }

  @Test(arguments: [
    (1, 1, "1 object"), (1, 2, "2 objects"), (3, 3, "3 instances"), (2, 5, "2 instances, 5 objects"),
  ])
  func theSizeHasNoRedundantCounts(instances: Int, objects: Int, size: String) {
    var finding = ExplainedFindings.growth
    (finding.instances, finding.objects) = (instances, objects)
    #expect(FindingText(finding).lines[0] == "growth: Demo.Job (\(size), 144 bytes)")
  }

  @Test func manyCallSitesAreTruncatedWithANote() {
    var finding = ExplainedFindings.growth
    finding.allocatedAt = (1...6).map { .init(instances: $0, frames: [.user("grow\($0)()", line: $0)]) }
    finding.omittedCallSites = 2
    let lines = FindingText(finding).lines
    #expect(lines[1] == "  allocated at grow6() Loader.swift:6 (6 ×)")
    #expect(lines[4] == "  … and 5 more call sites")
  }

  @Test func namesHaveNoControlCharacters() {
    var finding = ExplainedFindings.cycle
    finding.type = "Demo.\u{1b}[2JEvil\n"
    finding.path[1].reference = "a\r\u{9b}b"
    let text = FindingText(finding).description
    #expect(text.contains("Demo.\\u{1b}[2JEvil\\u{a}"))
    #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
  }
}
