#if canImport(Testing)
  internal import CLiveObjectsStart
  internal import LeakAssertions
  internal import LiveObjects
  internal import Testing

  /// The issues of an assertion, one for each failure.
  struct LeakIssues {
    private let assertion: String
    private let failures: [AssertionFailure]
    /// The scope of the objects.
    private let scope: UInt32
    /// Whether they are all that was left behind in the scope.
    private let isComplete: () -> Bool

    init(
      _ assertion: String, _ failures: [AssertionFailure], in scope: UInt32,
      isComplete: @escaping () -> Bool = { true }
    ) {
      self.assertion = assertion
      self.failures = failures
      self.scope = scope
      self.isComplete = isComplete
    }

    init<Value>(
      _ assertion: String, _ options: LiveObjects.LeakOptions, _ measured: LiveObjects.Measured<Value>
    ) {
      self.init(assertion, LeakCheck(options).failures(of: measured.diff), in: measured.scope)
    }

    /// Fails the test that runs. Leaks that it expects are marked as its known issue.
    ///
    /// - Parameter comment: the user's own.
    func record(at location: SourceLocation, _ comment: () -> Comment?) {
      let unexpected = failures.filter { !record($0, comment(), at: location) }
      if unexpected.contains(where: \.concernsObject) {
        Recorder.markTestLeaked(unexpected.compactMap(\.leak))
      }
      // A measurement that was not evaluated has reported no leak.
      if unexpected.isEmpty, failures.contains(where: \.concernsObject), isComplete() {
        Recorder.markKnownIssue(scope)
      }
    }

    /// - Returns: whether the test expects it.
    private func record(_ failure: AssertionFailure, _ comment: Comment?, at location: SourceLocation) -> Bool
    {
      let text = failure.text(of: assertion, comment?.rawValue ?? "")
      guard Test.current == nil, !Recorder.runsSwiftTesting else {
        return Issue.record(Comment(rawValue: text), sourceLocation: location).isExpected
      }
      recordElsewhere(text, at: location)
      return false
    }

    /// The library drops an issue while it runs no test. What a detached task or a thread of a test records
    /// is its.
    private func recordElsewhere(_ text: String, at location: SourceLocation) {
      let text = text + "\n  note: this expectation is for tests of Swift Testing, and none runs here"
      if !liveobj_fail_in_xctest(text, location.path, location.line) {
        liveobj_fail_process(text, location.path, location.line)
      }
    }
  }

  /// Called by assertions for XCTest, where no test of that runs.
  @_cdecl("liveobj_testing_fail")
  func failRunningTest(text: UnsafePointer<CChar>, file: UnsafePointer<CChar>, line: Int) -> Bool {
    guard Test.current != nil || Recorder.runsSwiftTesting else { return false }
    let path = String(cString: file)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    Issue.record(
      Comment(rawValue: String(cString: text)),
      sourceLocation: SourceLocation(fileID: "Tests/\(name)", filePath: path, line: max(line, 1), column: 1))
    return true
  }

  extension SourceLocation {
    fileprivate var path: String {
      #if compiler(>=6.3)
        filePath
      #else
        _filePath
      #endif
    }
  }

  extension Issue {
    /// Whether a test has declared it a known issue.
    fileprivate var isExpected: Bool {
      #if compiler(>=6.3)
        !isFailure
      #else
        // The library has no public name for it.
        Mirror(reflecting: self).descendant("isKnown") as? Bool
          ?? (Mirror(reflecting: self).descendant("knownIssueContext", "some") != nil)
      #endif
    }
  }
#endif
