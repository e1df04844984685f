package import LiveObjects
package import LiveObjectsAnalysis
internal import LiveObjectsCapture
package import LiveObjectsReport

/// What one look at the heap says about a test that has ended: by the same analysis as the report.
///
/// Everything here is our own work: call it inside `Recorder.ignoring`.
package struct TestLook {
  private let capture: Capture
  private let options: Analysis.Options
  private let failOn: FailOn
  /// What fails, as far as can be told without the names of functions. Names may only take findings away.
  private let suspects: [Finding]

  /// Takes a capture with references, and judges it.
  ///
  /// - Throws: where the recorder cannot tell.
  package init(at test: WatchedTest, failOn: FailOn) throws(LiveObjects.TrackingError) {
    capture = try Recorder.capture(since: 0, references: true).decoded()
    options = test.options(in: capture)
    self.failOn = failOn
    suspects = Self.failing(capture, options, failOn, ImageNames())
  }

  /// Something fails, now or if it is still there later.
  package var hasSuspects: Bool { !suspects.isEmpty }

  /// A shown retain cycle: nothing can release it any more, so that waiting is of no use.
  package var hasCertainLeak: Bool { suspects.contains(where: \.isCertainLeak) }

  /// What fails, with names.
  ///
  /// - Parameter certainOnly: leave out what may still be released.
  package func failures(namedBy symbolicator: some Symbolicator, certainOnly: Bool = false) -> [Finding] {
    guard hasSuspects else { return [] }
    return Self.failing(capture, options, failOn, symbolicator).filter { !certainOnly || $0.isCertainLeak }
  }

  private static func failing(
    _ capture: Capture, _ options: Analysis.Options, _ failOn: FailOn, _ symbolicator: some Symbolicator
  ) -> [Finding] {
    Analysis(of: capture, symbolicator: symbolicator, options: options).findings.filter(failOn.includes)
  }
}

extension Finding {
  fileprivate var isCertainLeak: Bool { verdict == .retainCycle && certainty == .definite }
}
