package import LiveObjectsSymbolication

/// The names of this process's own code, for all diffs and assertions: a symbolizer takes long to start, and most
/// frames of a test are those of the test before.
///
/// Call all here inside `Recorder.ignoring`.
package enum ProcessNames {
  private static let symbolicator = Locked(BinarySymbolicator(origin: .ownRun))

  /// Works with names, one caller after the other.
  package static func use<Result>(_ body: (BinarySymbolicator) -> Result) -> Result {
    symbolicator.withLock { symbolicator in
      symbolicator.beginReport()
      return body(symbolicator)
    }
  }
}
