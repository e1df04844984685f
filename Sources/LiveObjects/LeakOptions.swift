extension LiveObjects {
  /// What an assertion about leaks fails on, and how it measures.
  ///
  /// The assertions of LiveObjectsXCTest and LiveObjectsTesting share it.
  public struct LeakOptions: Sendable, Hashable {
    /// What fails. Leaks of the toolchain's own libraries never do.
    public enum Failing: Sendable, Hashable {
      /// What nothing can reach any more: retain cycles and over-retained objects.
      case leaks
      /// Also instances that were left behind reachable, of types whose module-qualified name contains
      /// one of these.
      case growth(of: [String])
    }

    /// What becomes of an assertion where leaks cannot be evaluated, because memory or the number of processes is
    /// limited for instance: what was left behind is seen then, and not what holds it.
    public enum Unevaluated: Sendable, Hashable {
      /// It fails, and says why.
      case fails
      /// It holds, and standard error says why once.
      case isSkipped
    }

    public var failing: Failing
    /// What becomes of an assertion where leaks cannot be evaluated. Where nothing can be tracked, it fails
    /// in any case.
    public var unevaluated: Unevaluated
    /// How long objects that are still alive after the code may take to be released; see
    /// ``LiveObjects/Options/settle``.
    public var settle: Duration
    /// Runs of the code before the measurement; see ``LiveObjects/Options/warmUp``.
    public var warmUp: Int
    /// Measured runs of the code. With more than one, only what *every* run left behind fails; see
    /// ``LiveObjects/Options/iterations``.
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
  /// The diff that such an assertion takes.
  package var measuring: LiveObjects.Options {
    LiveObjects.Options(settle: settle, warmUp: warmUp, iterations: iterations)
  }
}
