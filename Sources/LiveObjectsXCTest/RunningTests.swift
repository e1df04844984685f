#if canImport(XCTest) && os(Linux)
  internal import CLiveObjectsStart
  internal import LiveObjects
  internal import XCTest

  /// The tests that XCTest runs.
  final class RunningTests: XCTestObservation {
    /// The running tests, the innermost last: a test may run others. Not retained, since that would add a
    /// holder.
    private static let all = Locked<[Unmanaged<XCTestCase>]>([])

    static var isEmpty: Bool { all.withLock { $0.isEmpty } }

    static func contains(_ test: XCTestCase) -> Bool {
      let test = Unmanaged.passUnretained(test)
      return all.withLock { $0.contains { $0.toOpaque() == test.toOpaque() } }
    }

    /// Fails the one that runs.
    ///
    /// - Returns: `false` if none does.
    fileprivate static func fail(_ text: String, file: String, line: Int) -> Bool {
      guard let test = all.withLock({ $0.last }) else { return false }
      test.takeUnretainedValue()
        .recordFailure(withDescription: "failed - \(text)", inFile: file, atLine: line, expected: true)
      return true
    }

    func testCaseWillStart(_ testCase: XCTestCase) {
      Recorder.ignoring {
        Self.all.withLock { $0.append(Unmanaged.passUnretained(testCase)) }
        TrackedObjects.shared.begin(testCase)
      }
    }

    func testCaseDidFinish(_ testCase: XCTestCase) {
      Recorder.ignoring {
        Self.all.withLock { all in
          if let last = all.lastIndex(where: {
            $0.toOpaque() == Unmanaged.passUnretained(testCase).toOpaque()
          }) {
            all.remove(at: last)
          }
        }
      }
    }
  }

  /// Called when the binary is loaded, before XCTest begins.
  @_cdecl("liveobj_xctest_start")
  func startObservingXCTest() {
    Recorder.ignoring { XCTestObservationCenter.shared.addTestObserver(RunningTests()) }
  }

  /// Called by assertions for Swift Testing, where no test of that runs.
  @_cdecl("liveobj_xctest_fail")
  func failRunningXCTest(text: UnsafePointer<CChar>, file: UnsafePointer<CChar>, line: Int) -> Bool {
    RunningTests.fail(String(cString: text), file: String(cString: file), line: line)
  }
#endif
