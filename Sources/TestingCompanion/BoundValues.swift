// Later versions of Swift Testing call the runtime's own functions, which the preload library sees.
#if canImport(Testing) && compiler(<6.1)
  internal import TestWatching

  /// The receiver of Swift Testing's task-local bindings.
  enum BoundValues {
    // Set once, before the first test.
    nonisolated(unsafe) static var host: CompanionHost?
  }

  extension TaskLocal {
    /// Takes the place of `withValue(_:operation:isolation:file:line:)` in Swift Testing: does the same, and
    /// notifies the preload library of the binding.
    @_silgen_name("liveobj_testing_with_value")
    public func withWatchedValue<Result>(
      _ value: Value, operation: () async throws -> Result, isolation: isolated (any Actor)?, file: String,
      line: UInt
    ) async rethrows -> Result {
      try await withValue(
        value,
        operation: {
          BoundValues.host?.valueWasBound()
          defer { BoundValues.host?.valueWillBeUnbound() }
          return try await operation()
        }, isolation: isolation, file: file, line: line)
    }
  }
#endif
