import LiveObjectsSystem

/// A capture of a running program, in a file without a name: it is received as fast as the program sends it, and the
/// program is free again before the analysis begins.
struct ReceivedSnapshot {
  private let file: TemporaryFile

  /// Where the capture can be read, as long as this value lives.
  var path: String { "/proc/self/fd/\(file.descriptor)" }

  /// Asks the program.
  ///
  /// - Parameter isSinceLast: whether only what was allocated since the last snapshot counts as growth.
  init(of process: WatchedProcess, sinceLast isSinceLast: Bool) throws(ToolFailure) {
    do throws(SystemError) {
      file = try TemporaryFile()
    } catch {
      throw ToolFailure("cannot make a temporary file in \(Environment.temporaryFolder) (TMPDIR): \(error)")
    }
    let descriptor = file.descriptor
    try process.ask(isSinceLast ? .snapshotSinceLast : .snapshot) { (part) throws(SystemError) in
      guard writeAll(part, to: descriptor) else { throw SystemError(code: errno) }
    }
  }
}
