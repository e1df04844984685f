#if canImport(Testing)
  internal import LiveObjects
  internal import LiveObjectsAnalysis

  /// What expectations inside a test have told already: where that was a known issue, the test's own judgement
  /// must not make a new one of it.
  struct ToldLeaks: Sendable {
    /// Of the test that runs here, if it is judged itself.
    @TaskLocal static var current: ToldLeaks?

    /// Objects, by the fingerprint of their finding.
    private let objects = Locked<[String: Int]>([:])

    func add(_ finding: Finding) {
      Recorder.ignoring { objects.withLock { $0[finding.fingerprint, default: 0] += finding.objects } }
    }

    /// The finding is about no more objects than were told of.
    func contain(_ finding: Finding) -> Bool {
      objects.withLock { $0[finding.fingerprint, default: 0] >= finding.objects }
    }
  }
#endif
