package import LiveObjects
internal import LiveObjectsAnalysis
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

  /// The test has ended, or its outcome has changed since it did.
  package func end(_ outcome: TestDescription.Outcome) {
    Recorder.end(number, outcome)
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
