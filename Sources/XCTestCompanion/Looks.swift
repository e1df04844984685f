#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsAnalysis
  internal import LiveObjectsReport
  internal import TestWatching

  /// The looks at one test that left something behind: at once, and again when it has settled, unless the first
  /// look shows nothing that may settle.
  final class Looks {
    private let test: WatchedTest
    private let failOn: FailOn
    private var settling = Settling()
    /// `nil` where nothing can be told.
    private var last: TestLook?
    private var isSettled: Bool

    init(at test: WatchedTest, failOn: FailOn) {
      self.test = test
      self.failOn = failOn
      // A look with references is dear, and most tests leave nothing behind.
      let leavesAnything = (try? test.survivors().isEmpty) == false
      last = leavesAnything ? try? TestLook(at: test, failOn: failOn) : nil
      isSettled = last.map { !$0.maySettle } ?? true
    }

    /// How long to wait before this is asked again; `nil` when the last look counts.
    func pause() -> Duration? {
      guard !isSettled else { return nil }
      if let survivors = try? test.survivors(), let pause = settling.pause(after: survivors) { return pause }
      isSettled = true
      last = try? TestLook(at: test, failOn: failOn)
      return nil
    }
  }

  // MARK: - Failures

  /// What XCTest is told of one finding.
  struct TestFailure {
    var message: String
    /// `nil` where the place is not known; its line is 0 then, as XCTest has it.
    var file: String?
    var line: Int
  }

  extension Looks {
    func failures(of running: RunningTest, namedBy symbolicator: BinarySymbolicator) -> [TestFailure] {
      guard let last, last.hasSuspects else { return [] }
      let entry = last.entry(
        of: running.testCase.methodNames, near: running.testCase.classAddress, namedBy: symbolicator)
      let findings = last.failures(
        namedBy: symbolicator, cleared: running.clearedProperties, beside: entry)
      let declaration = entry.flatMap { last.declaration(at: $0, namedBy: symbolicator) }
      return findings.map { finding in
        // Optimised methods that look alike are merged, and have no place of their own.
        let made = finding.allocatedAt.first?.frames.first { $0.isUsers && $0.line != nil }
        let place = declaration ?? made
        return TestFailure(message: "\(FindingText(finding))", file: place?.file, line: place?.line ?? 0)
      }
    }
  }
#endif
