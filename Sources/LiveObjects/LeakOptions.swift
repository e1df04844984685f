extension LiveObjects {
  /// The options of an assertion about leaks: its failures and its measurement.
  ///
  /// The assertions of LiveObjectsXCTest and LiveObjectsTesting share it.
  public struct LeakOptions: Sendable, Hashable {
    /// The objects that fail an assertion. Leaks of the toolchain's own libraries never do.
    public enum Failing: Sendable, Hashable {
      /// Unreachable objects: retain cycles, over-retained objects and tasks that are never resumed.
      case leaks
      /// Also reachable instances that were left behind, of types whose module-qualified name contains
      /// one of these. A name that is in that of no type of the process fails the assertion.
      case growth(of: [String])
    }

    /// The result of an assertion where leaks cannot be evaluated, for example because memory or the number
    /// of processes is limited: live objects are known then, and their holders are not.
    public enum Unevaluated: Sendable, Hashable {
      /// It fails, with the reason.
      case fails
      /// It passes, with the reason on standard error, once.
      case isSkipped
    }

    public var failing: Failing
    /// The result of an assertion where leaks cannot be evaluated. Where nothing can be tracked, it fails
    /// in any case.
    public var unevaluated: Unevaluated
    /// The time that objects which are still alive after the code may take to be released; see
    /// ``LiveObjects/MeasurementOptions/settle``.
    public var settle: Duration
    /// Runs of the code before the measurement; see ``LiveObjects/MeasurementOptions/warmUp``.
    public var warmUp: Int
    /// Measured runs of the code. With more than one, only objects that *every* run left behind fail; see
    /// ``LiveObjects/MeasurementOptions/iterations``.
    public var iterations: Int

    public init(
      failing: Failing = .leaks, settle: Duration = .milliseconds(300), warmUp: Int = 0, iterations: Int = 1,
      unevaluated: Unevaluated = .fails
    ) {
      self.failing = failing
      self.unevaluated = unevaluated
      self.settle = settle
      self.warmUp = warmUp
      self.iterations = iterations
    }
  }
}

extension LiveObjects.LeakOptions {
  /// The options of the assertion's diff.
  package var measuring: LiveObjects.MeasurementOptions {
    LiveObjects.MeasurementOptions(settle: settle, warmUp: warmUp, iterations: iterations)
  }
}
