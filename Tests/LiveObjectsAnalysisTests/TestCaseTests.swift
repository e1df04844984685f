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
