import TestSupport
import Testing

@testable import LiveObjectsTool

@Suite("A run of a test binary")
struct TestRunTests {
  private let folder: TemporaryFolder
  private let captures: CaptureFolder

  init() throws {
    folder = try TemporaryFolder()
    captures = CaptureFolder(existing: folder.path)
  }

  @Test(
    "has a human-readable name",
    arguments: [
      ([], "the XCTest run of DemoTests.xctest (process N)"),
      (["''"], "the XCTest run of DemoTests.xctest (process N)"),
      (["A.B/testC"], "the XCTest run of DemoTests.xctest (process N, A.B/testC)"),
      (
        ["A.B/testC,A.B/testD,A.B/testE"],
        "the XCTest run of DemoTests.xctest (process N, A.B/testC and 2 more)"
      ),
      (["--testing-library", "swift-testing"], "the Swift Testing run of DemoTests.xctest (process N)"),
    ])
  func hasAName(arguments: [String], name: String) throws {
    let run = try TestRun(noting: ["/build/DemoTests.xctest"] + arguments, in: captures)
    #expect(run.description.replacing(/process [0-9]+/, with: "process N") == name)
  }

  @Test("is found again as recorded, even after a reuse of its process id")
  func isFoundAgain() throws {
    let commands = [["/a b", "x\ny", "", "ä"], ["/a"], ["/c", "''"]]
    let noted = try commands.map { try TestRun(noting: $0, in: captures) }
    let found = TestRun.all(in: captures)
    #expect(found.map { [$0.program] + $0.arguments } == commands)
    #expect(found.map(\.capture) == noted.map(\.capture))
    #expect(Set(found.map(\.capture)).count == 3)
  }

  @Test(
    "may only list tests",
    arguments: [
      (["--dump-tests-json"], true), (["--list-tests", "--toolset", "x"], true), (["list"], true),
      (["--filter", "list"], false), ([], false), (["''"], false),
    ])
  func mayOnlyList(arguments: [String], onlyLists: Bool) {
    #expect(TestRun.onlyLists(arguments) == onlyLists)
  }
}
