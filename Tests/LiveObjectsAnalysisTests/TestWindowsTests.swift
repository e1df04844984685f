import LiveObjectsCapture
import Testing

@testable import LiveObjectsAnalysis

@Suite struct TestWindowsTests {
  /// Tests by their windows, and which of them runs at each sequence number from 0 to 9.
  @Test(
    arguments: [
      ([], [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1]),
      ([1..<3, 3..<5, 7..<8], [-1, 0, 0, 1, 1, -1, -1, 2, -1, -1]),
      // Inside of another one, at its begin, and at its end.
      ([1..<9, 2..<4, 5..<6], [-1, 0, 1, 1, 0, 2, 0, 0, 0, -1]),
      ([1..<5, 1..<3], [-1, 1, 1, 0, 0, -1, -1, -1, -1, -1]),
      ([1..<5, 3..<5, 5..<7], [-1, 0, 0, 1, 1, 2, 2, -1, -1, -1]),
      // Empty ones.
      ([2..<2, 2..<4, 3..<3], [-1, -1, 1, 1, -1, -1, -1, -1, -1, -1]),
      // What no process runs.
      ([1..<5, 3..<8], [-1, 0, 0, 1, 1, 1, 1, 1, -1, -1]),
      ([5..<8, 1..<9], [-1, 1, 1, 1, 1, 0, 0, 0, 1, -1]),
    ] as [([Range<UInt64>], [Int32])])
  func theInnermostTestOwnsWhatIsMade(windows: [Range<UInt64>], owners: [Int32]) {
    let tests = windows.map { TestDescription(library: .xctest, id: "T/test", sequenceNumbers: $0) }
    let found = (0...9).map { TestWindows(of: tests).test(at: $0) }
    #expect(found == owners)
  }

  @Test func aTestWithAScopeHasNoWindow() {
    let test = TestDescription(library: .testing, scope: 3, id: "S/test()", sequenceNumbers: 1..<9)
    #expect(TestWindows(of: [test]).test(at: 4) == TestAttribution.nobody)
  }
}
