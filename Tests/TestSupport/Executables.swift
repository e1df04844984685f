import Foundation

/// Files that can be executed at once.
///
/// Another process writes them: a program that another test starts at the same moment would keep our descriptor open for
/// an instant, and a file that is open for writing cannot be executed.
extension TemporaryFolder {
  /// - Returns: the file's path.
  @discardableResult
  public func writeExecutable(_ contents: Data, to name: String) throws -> String {
    let draft = path(name + ".draft")
    try contents.write(to: URL(fileURLWithPath: draft))
    try copyExecutable(draft, to: path(name))
    try FileManager.default.removeItem(atPath: draft)
    return path(name)
  }

  /// Writes a shell script.
  ///
  /// - Parameter text: without its first line.
  /// - Returns: its path.
  @discardableResult
  public func writeScript(_ text: String, to name: String) throws -> String {
    try writeExecutable(Data("#!/bin/sh\n\(text)\n".utf8), to: name)
  }
}

/// Copies a program, likewise.
public func copyExecutable(_ program: String, to path: String) throws {
  try Compiler.run("sh", ["-c", "cp \"$0\" \"$1\" && chmod 755 \"$1\"", program, path])
}
