internal import CLiveObjects
package import LiveObjectsAnalysis

extension Recorder {
  /// Marks the running test as failed by an assertion about its objects: a companion still counts its leaks,
  /// and adds no failure.
  ///
  /// - Parameter leaks: the leaks in the assertion's message, which the report on the process repeats.
  package static func markTestLeaked(_ leaks: [Finding]) { fail(currentTest, with: leaks) }

  /// Marks the objects of a measurement as a known issue of its test: no other assertion, no companion and no
  /// report fails because of them. Objects that tasks of the measurement allocate from now on are not
  /// included.
  ///
  /// - Parameter scope: the measurement's scope; 0 for none.
  package static func markKnownIssue(_ scope: UInt32) { liveobj_scope_mark_known_issue(scope) }
}
