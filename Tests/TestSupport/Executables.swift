extension TemporaryFolder {
  /// Writes a shell script that can be executed at once.
  ///
  /// Another process writes the file: a program that another test starts at the same moment would keep our descriptor
  /// open for an instant, and a file that is open for writing cannot be executed.
  ///
  /// - Parameter text: without its first line.
  /// - Returns: its path.
  @discardableResult
  public func writeScript(_ text: String, to name: String) throws -> String {
    _ = try runProgram(
      "/bin/sh", ["-c", "cat > \"$0\" && chmod 755 \"$0\"", path(name)],
      standardInput: "#!/bin/sh\n\(text)\n")
    return path(name)
  }
}

/// Copies a program, likewise.
public func copyExecutable(_ program: String, to path: String) throws {
  _ = try runProgram("/bin/cp", [program, path])
}
