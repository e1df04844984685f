import LiveObjectsCapture
import Testing

@testable import LiveObjectsAnalysis

@Suite struct TestWindowsTests {
  /// Tests by their windows, and which of them runs at each sequence number from 0 to 9.
  @Test(
    arguments: [
      ([], [nil, nil, nil, nil, nil, nil, nil, nil, nil, nil]),
      ([1..<3, 3..<5, 7..<8], [nil, 0, 0, 1, 1, nil, nil, 2, nil, nil]),
      // Inside of another one, at its begin, and at its end.
      ([1..<9, 2..<4, 5..<6], [nil, 0, 1, 1, 0, 2, 0, 0, 0, nil]),
      ([1..<5, 1..<3], [nil, 1, 1, 0, 0, nil, nil, nil, nil, nil]),
      ([1..<5, 3..<5, 5..<7], [nil, 0, 0, 1, 1, 2, 2, nil, nil, nil]),
      // Empty ones.
      ([2..<2, 2..<4, 3..<3], [nil, nil, 1, 1, nil, nil, nil, nil, nil, nil]),
      // Impossible windows.
      ([1..<5, 3..<8], [nil, 0, 0, 1, 1, 1, 1, 1, nil, nil]),
      ([5..<8, 1..<9], [nil, 1, 1, 1, 1, 0, 0, 0, 1, nil]),
    ] as [([Range<UInt64>], [Int?])])
  func theInnermostTestOwnsAllocations(windows: [Range<UInt64>], owners: [Int?]) {
    let tests = windows.map { TestDescription(library: .xctest, id: "T/test", sequenceNumbers: $0) }
    let found = (0...9).map { TestWindows(of: tests).test(at: $0) }
    #expect(found == owners)
  }

  @Test func aTestWithAScopeHasNoWindow() {
    let test = TestDescription(library: .testing, scope: 3, id: "S/test()", sequenceNumbers: 1..<9)
    #expect(TestWindows(of: [test]).test(at: 4) == nil)
  }
}
