import CaptureFixtures
import LiveObjectsCapture
import Testing

@testable import LiveObjectsAnalysis

/// Where only a sample of the objects has stack traces, numbers of call sites are estimates and all others exact.
@Suite struct SampledTracesTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  init() {
    builder.sample(every: 1024)
    symbolicator.define(0x10, [.user("makeLoader()", line: 30)])
    symbolicator.define(0x20, [.user("makeClient()", line: 40)])
  }

  @Test mutating func anObjectStandsForThoseWithoutATrace() throws {
    let trace = builder.stackTrace([0x10])
    let type = builder.type("Demo.Loader")
    builder.objects(97, of: type, bytes: 32)
    builder.objects(3, of: type, bytes: 32, stackTrace: trace)
    let finding = try #require(analyse(builder, symbolicator).findings.first)
    #expect((finding.instances, finding.bytes) == (100, 3200))
    // 1 / (1 − exp(−32/1024)) = 32.5
    let site = try #require(finding.allocatedAt.first)
    #expect((site.instances, site.bytes, site.isEstimated) == (98, 3120, true))
  }

  @Test mutating func aTestsFindingKeepsThatItIsAnEstimate() throws {
    builder.objects(3, of: builder.type("Demo.Loader"), stackTrace: builder.stackTrace([0x10]))
    let finding = try #require(analyse(builder, symbolicator).findings.first)
    #expect(finding.allocatedAt.map(\.isEstimated) == [true])
    #expect(Finding(encoded: finding.encoded)?.allocatedAt == finding.allocatedAt)
  }

  /// Calls of the program may be among those that are not known.
  @Test mutating func nothingIsADependencysOwnAffair() {
    let file = "/src/app/.build/checkouts/swift-wire/Sources/Wire/Wire.swift"
    symbolicator.define(0x30, [.user("Wire.open()", module: "Wire", file: file)])
    builder.objects(3, of: builder.type("Wire.Channel"), stackTrace: builder.stackTrace([0x30]))
    #expect(analyse(builder, symbolicator).findings.map(\.dependency) == [nil])
    builder.sample(every: 0)
    #expect(analyse(builder, symbolicator).findings.map(\.dependency) == ["swift-wire"])
  }

  @Test mutating func largeObjectsStandForThemselves() throws {
    builder.objects(2, of: builder.type("Demo.Image"), bytes: 1 << 20, stackTrace: builder.stackTrace([0x10]))
    let site = try #require(analyse(builder, symbolicator).findings.first?.allocatedAt.first)
    #expect((site.instances, site.bytes) == (2, 2 << 20))
  }

  @Test(arguments: [(1, 100), (100, 1)])
  mutating func objectsOfOneSiteAndDifferentSizesAreWeighedOneByOne(_ few: Int, _ many: Int) throws {
    let trace = builder.stackTrace([0x10])
    let type = builder.type("Demo.Loader")
    builder.objects(few, of: type, bytes: 710, stackTrace: trace)  // 1 / (1 − exp(−710/1024)) = 2.0
    builder.objects(many, of: type, bytes: 1 << 20, stackTrace: trace)
    let site = try #require(analyse(builder, symbolicator).findings.first?.allocatedAt.first)
    #expect(site.instances == 2 * few + many)
  }

  @Test mutating func withoutASampleNumbersAreExact() throws {
    builder.sample(every: 0)
    builder.objects(3, of: builder.type("Demo.Loader"), bytes: 32, stackTrace: builder.stackTrace([0x10]))
    let site = try #require(analyse(builder, symbolicator).findings.first?.allocatedAt.first)
    #expect((site.instances, site.bytes, site.isEstimated) == (3, 96, false))
  }

  @Test mutating func growthOfATypeIsOneFindingWhoeverAllocatedIt() throws {
    let type = builder.type("Demo.Loader")
    for trace in [builder.stackTrace([0x10]), builder.stackTrace([0x20]), 0] {
      builder.objects(5, of: type, stackTrace: trace)
    }
    let findings = analyse(builder, symbolicator).findings
    #expect(findings.map(\.instances) == [15])
    #expect(
      findings.flatMap(\.allocatedAt).map { $0.frames.first?.function } == ["makeClient()", "makeLoader()"])
  }

  @Test mutating func aFingerprintDoesNotDependOnTheSample() {
    let type = builder.type("Demo.Loader")
    var other = builder
    builder.objects(5, of: type, stackTrace: builder.stackTrace([0x10]))
    other.objects(5, of: type)
    #expect(
      analyse(builder, symbolicator).findings.map(\.fingerprint)
        == analyse(other, symbolicator).findings.map(\.fingerprint))
  }

  @Test mutating func anOverRetainedObjectHasOneFingerprint() {
    builder.heapGraph()
    let type = builder.type("Demo.Token")
    builder.objects(2, of: type, stackTrace: builder.stackTrace([0x10]))
    builder.objects(3, of: type)
    #expect(analyse(builder, symbolicator).findings.map(\.objects) == [5])
  }

  @Test mutating func closuresAreNamedAlike() {
    let type = builder.type("", kind: .closureContextOrBox, captureCount: 2)
    builder.objects(5, of: type, stackTrace: builder.stackTrace([0x10]))
    builder.objects(7, of: type)
    let analysis = analyse(builder, symbolicator)
    #expect(analysis.findings.map(\.objects) == [12])
    #expect(analysis.types.map(\.type) == ["closure in demo"])
  }

  @Test mutating func typesThatGrewHaveEstimates() {
    let type = builder.type("Demo.Loader")
    builder.objects(50, of: type, bytes: 32)
    builder.objects(2, of: type, bytes: 32, stackTrace: builder.stackTrace([0x10]))
    var options = Analysis.Options()
    options.findsCallSitesOfTypes = true
    let types = analyse(builder, symbolicator, options: options).types
    #expect(types.map(\.growth) == [52])
    #expect(types.flatMap(\.allocatedAt).map { [$0.instances] } == [[65]])
  }

  @Test(arguments: [1, 16, 1023, 4096, 1 << 30, .max] as [UInt64])
  func theWeightIsTheReciprocalOfTheProbability(bytes: UInt64) {
    var capture = builder.capture
    capture.tracking.sampleBytes = 4096
    let object = LiveObject(address: 16, bytes: bytes, sequence: 1, type: 0, stackTrace: 1)
    let x = Double(bytes) / 4096
    // exp(-x) by its definition, for the small ones.
    let exponential: Double = (1...200).reversed().reduce(1) { 1 - $0 * x / Double($1) }
    let exact: Double = x > 40 ? 1 : 1 / (1 - exponential)
    #expect(abs(capture.tracking.weight(of: object) / exact - 1) < 1e-8)
  }
}
