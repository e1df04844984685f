/// The origin of a capture, which decides whether the names of files in it are trusted. The caller sets it;
/// it is not read from the capture.
package enum CaptureOrigin: Sendable {
  /// Untrusted. No file that it names is executed, and the symbolizer reads no file that the build id does
  /// not identify.
  case unknown
  /// A process that the user ran, directly: the toolchain that it names is the one
  /// that the process ran with.
  case ownRun
}
