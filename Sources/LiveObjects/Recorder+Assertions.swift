internal import CLiveObjects
package import LiveObjectsAnalysis

extension Recorder {
  /// The test that runs here fails by an assertion of ours, because of what it left behind: whoever watches
  /// the tests of this process still counts its leaks, and adds no failure.
  ///
  /// - Parameter leaks: those that the assertion names; the report on the process repeats them.
  package static func markTestLeaked(_ leaks: [Finding]) { fail(currentTest, with: leaks) }

  /// An assertion of ours has told what a measurement left behind, and the test expects that: no other assertion,
  /// no companion and no report fails for it. What tasks of the measurement make from now on is not known.
  ///
  /// - Parameter scope: the measurement's; 0 for none.
  package static func markKnown(_ scope: UInt32) { liveobj_scope_know(scope) }
}
