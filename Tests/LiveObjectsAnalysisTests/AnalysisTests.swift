import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct AnalysisTests {
  @Test func anEmptyCaptureHasNoTypesAndNoFindings() {
    let analysis = analyse(CaptureBuilder())
    #expect(analysis.types.isEmpty)
    #expect(analysis.findings.isEmpty)
  }

  @Test func typesAreSortedByGrowth() {
    var builder = CaptureBuilder()
    builder.objects(1, of: builder.type("Demo.B"), bytes: 16)
    builder.objects(1, of: builder.type("Demo.A"), bytes: 16)
    builder.objects(2, of: builder.type("Demo.Small"), bytes: 8)
    builder.objects(1, of: builder.type("Demo.Large"), bytes: 1000)
    #expect(analyse(builder).types.map(\.type) == ["Demo.Large", "Demo.Small", "Demo.A", "Demo.B"])
  }

  @Test func objectsFromBeforeTheBaselineAreLiveButNotGrowth() throws {
    var builder = CaptureBuilder()
    let type = builder.type("Demo.Loader")
    builder.objects(3, of: type, bytes: 10)
    let baseline = builder.capture.process.next + 1
    builder.objects(2, of: type, bytes: 10)
    let analysis = analyse(builder, options: Analysis.Options(baseline: baseline))

    let growth = try #require(analysis.types.first)
    #expect((growth.live, growth.growth) == (5, 2))
    #expect((growth.bytes, growth.growthBytes) == (50, 20))
    #expect(analysis.findings.map(\.instances) == [2])
    #expect(analysis.findings.map(\.bytes) == [20])
  }

  @Test func ignoredObjectsAreNeitherLiveNorGrowth() throws {
    var builder = CaptureBuilder()
    let type = builder.type("Demo.Loader")
    builder.objects(5, of: type, bytes: 10)
    let analysis = analyse(builder, options: Analysis.Options(objects: [1, 3]))
    let growth = try #require(analysis.types.first)
    #expect((growth.live, growth.growth) == (2, 2))
    #expect(analysis.findings.map(\.instances) == [2])
  }

  @Test func pinnedObjectsAreCountedSeparately() throws {
    var builder = CaptureBuilder()
    let type = builder.type("Demo.Loader")
    builder.objects(1, of: type)
    builder.objects(4, of: type, isPinned: true)
    let analysis = analyse(builder)
    let growth = try #require(analysis.types.first)
    #expect((growth.live, growth.growth, growth.pinned) == (1, 1, 4))
    #expect(analysis.findings.map(\.instances) == [1])
  }

  @Test func pinnedObjectsAloneAreNoFinding() {
    var builder = CaptureBuilder()
    builder.objects(4, of: builder.type("Demo.Loader"), isPinned: true)
    #expect(analyse(builder).findings.isEmpty)
  }

  @Test func findingsHaveTypesOfTheProgramOnly() {
    var builder = CaptureBuilder()
    for name in [
      "Swift._ContiguousArrayStorage<Demo.A>", "Foundation.Bundle", "XCTest.XCTestSuite", "_Custom.A",
    ] {
      builder.objects(of: builder.type(name))
    }
    builder.objects(of: builder.type("", kind: .rawBuffer))
    builder.objects(of: builder.type("FoundationKit.Cache"))
    let analysis = analyse(builder)
    #expect(analysis.findings.map(\.type) == ["FoundationKit.Cache"])
    #expect(analysis.types.count == 6)
  }

  @Test func framesThatDoNotAffectFindingsAreNotSymbolicated() {
    var builder = CaptureBuilder()
    let symbolicator = TableSymbolicator()
    let array = builder.type("Swift._ContiguousArrayStorage<Demo.A>")
    builder.objects(of: array, stackTrace: builder.stackTrace([0x10]))
    builder.objects(of: builder.type("Demo.A"), stackTrace: builder.stackTrace([0x20, 0x30]))
    _ = Analysis(of: builder.capture, symbolicator: symbolicator)
    #expect(symbolicator.requests == [[Frame(image: 0, offset: 0x20), Frame(image: 0, offset: 0x30)]])
  }

  @Test func typesThatGrewHaveTheirCallSitesOnRequest() {
    var builder = CaptureBuilder()
    let symbolicator = TableSymbolicator()
    for offset in 1...4 {
      symbolicator.define(UInt64(offset), [.user("fill\(offset)()")])
      builder.objects(
        offset, of: builder.type("Swift._ContiguousArrayStorage<Demo.A>"), bytes: 100,
        stackTrace: builder.stackTrace([UInt64(offset)]))
    }
    var options = Analysis.Options()
    options.findsCallSitesOfTypes = true
    let sites = analyse(builder, symbolicator, options: options).types[0].allocatedAt
    #expect(sites.map(\.instances) == [4, 3, 2] && sites.map(\.bytes) == [400, 300, 200])
    #expect(sites.map { $0.frames[0].function } == ["fill4()", "fill3()", "fill2()"])
  }

  @Test func oversizedNumbersDoNotTrap() {
    var builder = CaptureBuilder()
    builder.objects(2, of: builder.type("Demo.A"), bytes: .max)
    #expect(analyse(builder).types.map(\.bytes) == [.max])
  }
}

func analyse(
  _ builder: CaptureBuilder, _ symbolicator: TableSymbolicator = TableSymbolicator(),
  options: Analysis.Options = Analysis.Options()
) -> Analysis {
  Analysis(of: builder.capture, symbolicator: symbolicator, options: options)
}
