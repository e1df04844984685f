#if canImport(Testing)
  internal import LiveObjects
  internal import LiveObjectsCapture
  internal import Testing

  /// The test cases in Swift Testing's own records, for versions whose calls do not show them.
  ///
  /// The library delivers each record on the task that it is about, before it continues. No task-local value
  /// can be bound there, so the task gets a scope in the recorder. A parameterised test has records of its
  /// cases, on the case's task; any other one has those of the test, on the task that creates the case's.
  /// `Test.current` is the test there, and the enclosing test here. An issue that is recorded meanwhile comes
  /// back as a record.
  final class RecordedCases: Sendable {
    private struct Case {
      var test: RecordedTest
      var arguments: String
      var hasFailed = false

      /// The case. The library shows the issue as one of the enclosing test.
      var remark: String {
        "left behind by \(test.name)" + (arguments.isEmpty ? "" : " with \(arguments)")
      }
    }

    fileprivate struct EndedCase {
      var scope: UInt32
      var outcome: TestDescription.Outcome
      var place: SourceLocation
      var remark: String
    }

    static let shared = Recorder.ignoring { RecordedCases(.shared) }

    private let watcher: CaseWatcher
    /// The tests with cases, by their ids.
    private let tests = Locked<[String: RecordedTest]>([:])
    private let isSelected = Locked(false)
    /// The running cases, by their scopes.
    private let running = Locked<[UInt32: Case]>([:])

    private init(_ watcher: CaseWatcher) {
      self.watcher = watcher
    }

    /// Whether at least one test or suite was selected to run.
    var hasSelection: Bool { isSelected.withLock { $0 } }

    func handle(_ json: UnsafeRawBufferPointer) {
      guard let ended = Recorder.ignoring({ TestRecord(json: json).flatMap { follow($0) } }) else { return }
      // The library's own work, so that it is not ignored.
      watcher.end(ended.scope, ended.outcome, at: ended.place, remark: ended.remark)
      Recorder.setTaskScope(0)
    }

    /// - Returns: the case that has ended.
    private func follow(_ record: TestRecord) -> EndedCase? {
      switch record.payload.kind {
      case "function", "suite": keep(record)
      case "testStarted", "testCaseStarted": begin(record)
      case "testEnded", "testCaseEnded": return end(record)
      case "issueRecorded" where record.fails: markFailed(record)
      default: break
      }
      return nil
    }
  }

  extension RecordedCases {
    private func keep(_ record: TestRecord) {
      isSelected.withLock { $0 = true }
      guard let test = RecordedTest(record) else { return }
      tests.withLock { $0[test.id] = test }
    }

    /// The test whose case begins or ends with this record.
    private func test(of record: TestRecord) -> RecordedTest? {
      let test = record.payload.testID.flatMap { id in tests.withLock { $0[id] } }
      return test?.isParameterized == record.payload.kind.hasPrefix("testCase") ? test : nil
    }

    private func begin(_ record: TestRecord) {
      // Without a task, its objects would be attributed to another case.
      guard let test = test(of: record), Recorder.currentTest == 0, Recorder.setTaskScope(0) else { return }
      let begun = Case(test: test, arguments: record.argumentsText)
      let scope = watcher.begin(TestDescription(id: test.id, at: test.place, arguments: begun.arguments))
      running.withLock { $0[scope] = begun }
      Recorder.setTaskScope(scope)
    }

    private func end(_ record: TestRecord) -> EndedCase? {
      guard test(of: record) != nil, let scope = watcher.scope(of: Recorder.currentTest),
        let ended = running.withLock({ $0.removeValue(forKey: scope) })
      else { return nil }
      let isCancelled = Task.isCancelled || record.isCancelled
      let outcome: TestDescription.Outcome = ended.hasFailed ? .failed : isCancelled ? .skipped : .passed
      return EndedCase(scope: scope, outcome: outcome, place: ended.test.place, remark: ended.remark)
    }

    /// Marks the case of an issue. An issue without a task may be one of any case of the test. A case that is
    /// being evaluated does not fail any more.
    private func markFailed(_ record: TestRecord) {
      let current = Recorder.currentTest
      let scope = watcher.scope(of: current)
      running.withLock { running in
        for (key, value) in running where current == 0 ? value.test.id == record.payload.testID : key == scope
        {
          running[key]?.hasFailed = true
        }
      }
    }
  }
#endif
