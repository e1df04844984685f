import TestSupport

/// An executable shell script, for as long as this value lives.
final class Script: Sendable {
  private let folder: TemporaryFolder
  var path: String { folder.path("script") }

  /// Another process writes the file: a test that starts a program at the same moment would keep
  /// our descriptor open for an instant, and a file open for writing cannot be executed.
  init(_ text: String) throws {
    folder = try TemporaryFolder()
    _ = try runProgram(
      "/bin/sh", ["-c", "cat >'\(path)'; chmod 755 '\(path)'"], standardInput: "#!/bin/sh\n\(text)\n")
  }
}

/// Copies a built program to where a test wants it, likewise.
func copyExecutable(_ name: String, to path: String) throws {
  _ = try runProgram("/bin/cp", [BuiltProducts.executable(name), path])
}
