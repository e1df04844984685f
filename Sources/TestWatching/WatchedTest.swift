package import LiveObjects
package import LiveObjectsAnalysis
package import LiveObjectsCapture

/// A test in the recorder's table, from its begin on.
package struct WatchedTest: Sendable {
  /// The number of the test in the recorder, from 1 on; 0 if the recorder could not store it.
  package let number: UInt32
  private static let librarySites = TestLibraryAllocationSites()
  private let first: UInt64
  let id: String

  /// Begins a test: it owns objects that are allocated from now on, or in its scope.
  ///
  /// - Parameter test: the description, without outcome and sequence numbers, which the recorder adds.
  package init(beginning test: TestDescription) {
    first = Recorder.mark()
    id = test.id
    number = Recorder.begin(test)
  }

  /// Ends the test: it does not own objects that are allocated from now on.
  package func end(_ outcome: TestDescription.Outcome) {
    Recorder.end(number, outcome)
  }

  /// Sets the final result. The last call.
  ///
  /// - Parameters:
  ///   - findings: leaks, which the capture keeps.
  ///   - rule: which of them fail the test.
  ///   - isEvaluated: whether all objects that it left behind were evaluated.
  /// - Returns: the findings that fail the test.
  @discardableResult package func close(
    _ outcome: TestDescription.Outcome, with findings: [Finding], by rule: FailureRule, isEvaluated: Bool
  ) -> [Finding] {
    if !findings.isEmpty { Recorder.fail(number, with: findings) }
    let failures = findings.filter { rule.decision(on: $0, of: id) == .fails }
    Recorder.close(number, failures.isEmpty ? outcome : .leaked, isEvaluated: isEvaluated)
    return failures
  }

  /// Sets the final result of a test that was not evaluated. The last call.
  package func close(_ outcome: TestDescription.Outcome) {
    Recorder.close(number, outcome, isEvaluated: false)
  }

  /// The live objects of a test without a scope, except those that the test library allocated for itself; none where
  /// only raw memory is left.
  ///
  /// - Throws: if there is no capture.
  package func survivors() throws(LiveObjects.TrackingError) -> [Recorder.Instance] {
    let instances = Recorder.instances(of: number)
    guard !instances.allSatisfy(\.isBuffer) else { return [] }
    if !instances.allSatisfy({ Self.librarySites.isClassified($0.stackTrace) }) {
      Self.librarySites.classify(try Recorder.capture(since: first).decoded())
    }
    let survivors = instances.filter { !Self.librarySites.contains($0.stackTrace) }
    return survivors.allSatisfy(\.isBuffer) ? [] : survivors
  }

  /// Options that evaluate this test alone.
  ///
  /// - Precondition: it left objects behind, so that the recorder has stored it.
  var options: Analysis.Options { Analysis.Options(test: Int(number) - 1) }
}

/// The stack traces at which test libraries allocate objects, collected from captures for all tests of the
/// process.
///
/// Test libraries allocate objects in every test, at the same places: known ones need no capture at each
/// test's end.
private final class TestLibraryAllocationSites: Sendable {
  /// By the number of the stack trace, which the recorder never reuses.
  private let isTestLibrary = Locked<[UInt32: Bool]>([:])

  func isClassified(_ stackTrace: UInt32) -> Bool {
    isTestLibrary.withLock { $0[stackTrace] != nil }
  }

  func classify(_ capture: Capture) {
    var libraries = TestLibraries(in: capture)
    isTestLibrary.withLock { isTestLibrary in
      for object in capture.objects { isTestLibrary[object.stackTrace] = libraries.allocated(object) }
    }
  }

  /// Whether a stack trace is that of a test library; `false` where that is unknown.
  func contains(_ stackTrace: UInt32) -> Bool {
    isTestLibrary.withLock { $0[stackTrace] == true }
  }
}
