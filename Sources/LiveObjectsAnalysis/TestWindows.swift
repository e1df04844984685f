import LiveObjectsCapture

/// The test without a scope that ran at each moment: the inner one where one test runs another.
struct TestWindows {
  private struct Change {
    var sequence: UInt64
    var test: Int?
  }

  /// The moments at which another test begins to run, or none; ascending.
  private var changes: [Change] = []

  init(of tests: [TestDescription]) {
    let windows = tests.indices.filter { tests[$0].scope == 0 }
      .sorted { tests[$0].sequenceNumbers.lowerBound < tests[$1].sequenceNumbers.lowerBound }
    var running: [Int] = []
    for window in windows {
      let begin = tests[window].sequenceNumbers.lowerBound
      end(&running, upTo: begin, tests)
      running.append(window)
      changes.append(Change(sequence: begin, test: window))
    }
    end(&running, upTo: .max, tests)
  }

  /// Ends the tests that are over, the innermost first.
  private mutating func end(_ running: inout [Int], upTo limit: UInt64, _ tests: [TestDescription]) {
    while let inner = running.last, tests[inner].sequenceNumbers.upperBound <= limit {
      let end = tests[inner].sequenceNumbers.upperBound
      while let test = running.last, tests[test].sequenceNumbers.upperBound <= end { running.removeLast() }
      changes.append(Change(sequence: end, test: running.last))
    }
  }

  func test(at sequence: UInt64) -> Int? {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? changes[low - 1].test : nil
  }
}
