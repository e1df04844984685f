package import LiveObjectsAnalysis
package import LiveObjectsReport

/// Decides what a finding means for the test that left its objects behind: ``FailOn`` says which findings fail, the
/// baseline and the suppressions which of them are accepted.
package struct FailureRule: Sendable {
  private let failOn: FailOn
  private let accepted: AcceptedFindings

  /// - Parameters:
  ///   - failOn: the findings that fail a test.
  ///   - accepted: those of them that fail nothing.
  package init(_ failOn: FailOn, accepting accepted: AcceptedFindings) {
    (self.failOn, self.accepted) = (failOn, accepted)
  }

  package enum Decision {
    /// The test has nothing to do with it.
    case ignored
    /// The report has it as one of the test's, but a baseline or a suppression accepts it.
    case accepted
    case fails
  }

  /// Whether any finding fails a test.
  package var failsTests: Bool { failOn != .none }

  /// Whether a test may leave behind what something holds, or may hold.
  var allowsHeld: Bool { failOn == .leaks }

  /// - Parameters:
  ///   - test: the id of the test; suppressions may name it.
  ///   - certainOnly: whether objects that may still be released, or have holders that were not read, are ignored.
  package func decision(on finding: Finding, of test: String, certainOnly: Bool = false) -> Decision {
    guard failOn.includes(finding), !certainOnly || finding.isCertainLeak else { return .ignored }
    var finding = finding
    finding.test = test
    return accepted.acceptance(of: finding) == nil ? .fails : .accepted
  }
}

extension Finding {
  /// Whether it is a retain cycle that nothing can release any more.
  var isCertainLeak: Bool { verdict == .retainCycle && certainty == .definite && !mayBeReleased }
}
