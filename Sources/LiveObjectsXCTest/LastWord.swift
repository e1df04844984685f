#if canImport(XCTest) && os(Linux)
  internal import LiveObjects
  internal import XCTest

  /// The moment between a test's teardown and its end, when a failure can still be recorded.
  ///
  /// XCTest has no hook for it: teardown blocks run before `tearDown()`, and observers hear of the end when it
  /// is too late for a failure. It does tell the test's run to stop, and that is a method which a subclass may
  /// override. The run exists already; it becomes an instance of the subclass, which adds nothing to it, until
  /// it stops.
  enum LastWord {
    /// Has the objects that a test tracks checked at its end.
    static func ask(of test: XCTestCase) {
      guard let run = test.testRun else { return }
      if type(of: run) == XCTestCaseRun.self {
        changeClass(of: run, to: LastWordRun.self)
      } else {
        // A run of the user's own. Its teardown blocks are as late as it gets.
        test.addTeardownBlock { [unowned test] in TrackedObjects.shared.check(at: test) }
      }
    }
  }

  private final class LastWordRun: XCTestCaseRun {
    override func stop() {
      if let test = test as? XCTestCase { TrackedObjects.shared.check(at: test) }
      changeClass(of: self, to: XCTestCaseRun.self)
      super.stop()
    }
  }
#endif
