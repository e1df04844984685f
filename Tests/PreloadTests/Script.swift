import TestSupport

/// An executable shell script, for as long as this value lives.
final class Script: Sendable {
  private let folder: TemporaryFolder
  var path: String { folder.path("script") }

  init(_ text: String) throws {
    folder = try TemporaryFolder()
    try folder.writeScript(text, to: "script")
  }
}
