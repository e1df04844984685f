package import LiveObjectsAnalysis
package import LiveObjectsCapture
internal import LiveObjectsSymbolication

/// The names of this process's own code, for all diffs and assertions: a symbolizer takes long to start, and most
/// frames of a test are those of the test before.
///
/// Call all here inside `Recorder.ignoring`.
package enum ProcessNames {
  private static let symbolicator = Locked(BinarySymbolicator(origin: .ownRun))

  /// Names an analysis, one caller after the other: all that needs no names is done before.
  ///
  /// - Parameter subjects: findings are named after them, where possible.
  /// - Returns: the analysis, and notes about names that are missing.
  package static func name(
    _ analysis: UnnamedAnalysis, after subjects: Set<ObjectAddress> = []
  ) -> (analysis: Analysis, notes: [String]) {
    symbolicator.withLock { symbolicator in
      symbolicator.beginReport()
      symbolicator.prepare(analysis.frames, of: analysis.capture)
      return (analysis.named(by: symbolicator, after: subjects), symbolicator.notes)
    }
  }
}
