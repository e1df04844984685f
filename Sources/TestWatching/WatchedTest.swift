package import LiveObjects
package import LiveObjectsAnalysis
package import LiveObjectsCapture

/// A test that the recorder knows of, from its begin on.
package struct WatchedTest: Sendable {
  /// As the recorder counts tests, from 1 on; 0 if it could not keep this one.
  package let number: UInt32
  private static let makers = KnownMakers()
  private let first: UInt64

  /// A test begins: objects made from now on, or in its scope, are its own.
  ///
  /// - Parameter test: its outcome and sequence numbers are the recorder's to find out.
  package init(beginning test: TestDescription) {
    first = Recorder.mark()
    number = Recorder.begin(test)
  }

  /// The test has ended: what is made from now on is not its own.
  package func end(_ outcome: TestDescription.Outcome) {
    Recorder.end(number, outcome)
  }

  /// Nothing more becomes of it. The last call.
  ///
  /// - Parameters:
  ///   - findings: what it fails with, because of what it left behind.
  ///   - isEvaluated: there is nothing else to be said of what it left behind.
  package func close(
    _ outcome: TestDescription.Outcome, failingWith findings: [Finding] = [], isEvaluated: Bool
  ) {
    if !findings.isEmpty { Recorder.fail(number, with: findings) }
    Recorder.close(number, findings.isEmpty ? outcome : .leaked, isEvaluated: isEvaluated)
  }

  /// The objects of a test without a scope that are still alive, but for those that the test library made for itself.
  /// Whether that is right remains to be judged.
  ///
  /// - Throws: where the recorder cannot tell.
  package func survivors() throws(LiveObjects.TrackingError) -> [ObjectIdentity] {
    let instances = Recorder.instances(of: number)
    if !instances.allSatisfy({ Self.makers.knows($0.stackTrace) }) {
      Self.makers.learn(from: try Recorder.capture(since: first).decoded())
    }
    return instances.filter { !Self.makers.areTestLibrary(at: $0.stackTrace) }.map(\.identity)
  }

  /// What can be said of it without a look at the whole heap.
  var remains: Recorder.Remains { Recorder.remains(of: number) }

  /// Judges this test alone.
  ///
  /// - Precondition: it left something behind, so that the recorder could keep it.
  var options: Analysis.Options { Analysis.Options(test: Int(number) - 1) }
}
