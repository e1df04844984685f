/// How far the names of files in a capture can be trusted. Not to be read from the capture: whoever has it must know.
package enum CaptureOrigin: Sendable {
  /// Anybody may have made it. Nothing that it names is executed, and the symbolizer reads no file that cannot be
  /// told by its build id.
  case unknown
  /// It is of a process that the user ran, and comes from there directly: the toolchain that it names is the one
  /// that the process ran with.
  case ownRun
}
