import Foundation
import TestSupport

/// An executable shell script, for as long as this value lives.
final class Script: Sendable {
  private let folder: TemporaryFolder
  var path: String { folder.path("script") }

  init(_ text: String) throws {
    folder = try TemporaryFolder()
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }
}

/// Copies a built program to where a test wants it.
func copyExecutable(_ name: String, to path: String) throws {
  try FileManager.default.copyItem(atPath: BuiltProducts.executable(name), toPath: path)
}
