import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// XCTest releases its suite after the last test; the suite held the test cases.
@Suite struct TestCaseTests {
  @Test func anObjectInAPropertyOfATestIsNoLeak() {
    let findings = analysis.findings.filter { !$0.isLibraryLeak }
    #expect(findings.allSatisfy { $0.verdict == .heldBy })
    #expect(
      findings.first { $0.type == "Demo.Loader" }?.path == [
        .init(type: "DemoTests.LoaderTests", reference: "sut")
      ])
  }

  /// A conservative reference of a test library, in an object that a test refers to.
  @Test func aVariableIsPreferredToAConservativeReferenceInATest() {
    var builder = CaptureBuilder()
    let tests = builder.type("DemoTests.LoaderTests")
    builder.superclasses(of: tests, ["XCTest.XCTestCase", "XCTest.XCTest"])
    let test = builder.object(of: tests)
    let cached = builder.object(of: builder.type("Demo.Cached"))
    builder.reference(from: test, to: cached, ReferenceLabel(.memory, ownership: .conservative))
    builder.global(0x900, to: cached)
    let findings = Analysis(of: builder.capture, symbolicator: TableSymbolicator()).findings
    let finding = findings.first { $0.type == "Demo.Cached" }
    #expect(finding?.verdict == .heldBy && finding?.certainty == .definite)
    #expect(finding?.path.first?.type != "DemoTests.LoaderTests")
  }

  /// An event loop that all of a process share, for example: it lives on when the test clears its property.
  @Test func aVariableIsPreferredToATest() throws {
    var builder = CaptureBuilder()
    let test = test(in: &builder)
    let shared = builder.object(of: builder.type("Demo.Shared"), strongCount: 2)
    let job = builder.object(of: builder.type("Demo.Job"))
    builder.reference(from: test, to: shared, property: "loop")
    builder.reference(from: shared, to: job, property: "job")
    builder.global(0x900, to: shared)
    // XCTest's own variable.
    builder.global(0x908, to: test)
    builder.reference(from: test, to: builder.object(of: builder.type("Demo.Loader")), property: "sut")
    let findings = Analysis(of: builder.capture, symbolicator: TableSymbolicator()).findings
    let holders = findings.map { "\($0.type): \($0.path[0].type)" }.sorted()
    #expect(holders[0].hasPrefix("Demo.Job: global"))
    #expect(holders[1] == "Demo.Loader: DemoTests.LoaderTests")
  }

  /// XCTest makes all test cases before the first test.
  @Test(arguments: [("LoaderTests.init(name:testClosure:)", false), ("LoaderTests.setUp()", true)])
  func theFirstValueOfAPropertyIsNoFinding(function: String, isFinding: Bool) {
    var builder = CaptureBuilder()
    let symbolicator = TableSymbolicator()
    symbolicator.define(0x10, [.user(function)])
    let test = test(in: &builder)
    let loader = builder.object(of: builder.type("Demo.Loader"), stackTrace: builder.stackTrace([0x10]))
    builder.reference(from: test, to: loader, property: "sut")
    let findings = Analysis(of: builder.capture, symbolicator: symbolicator).findings
    #expect(findings.contains { $0.type == "Demo.Loader" } == isFinding)
  }

  private func test(in builder: inout CaptureBuilder) -> UInt32 {
    let tests = builder.type("DemoTests.LoaderTests")
    builder.superclasses(of: tests, ["XCTest.XCTestCase", "XCTest.XCTest"])
    return builder.object(of: tests)
  }

  @Test func theSuiteIsALibraryLeak() {
    let leaks = analysis.findings.filter(\.isLibraryLeak)
    #expect(leaks.map(\.type) == ["XCTest.XCTestSuite"])
    #expect(leaks.map(\.victims) == [0])
  }

  private var analysis: Analysis {
    var builder = CaptureBuilder()
    let library = builder.image("/usr/lib/swift/linux/libXCTest.so", isSystem: true)
    let suite = builder.object(of: builder.type("XCTest.XCTestSuite", image: library))
    let run = builder.object(of: builder.type("XCTest.XCTestSuiteRun", image: library))
    let tests = builder.type("DemoTests.LoaderTests")
    builder.superclasses(of: tests, ["XCTest.XCTestCase", "XCTest.XCTest"])
    let test = builder.object(of: tests)
    let loader = builder.object(of: builder.type("Demo.Loader"))
    builder.reference(from: suite, to: run, property: "testRun")
    builder.reference(from: suite, to: test, property: "tests")
    builder.reference(from: run, to: suite, property: "test")
    builder.reference(from: test, to: loader, property: "sut")
    return Analysis(of: builder.capture, symbolicator: TableSymbolicator())
  }
}
