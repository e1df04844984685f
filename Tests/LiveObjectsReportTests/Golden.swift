import Foundation
import Testing

/// Compares an output with the expected one. With `ACCEPT_GOLDEN=1` in the environment, it is the expected one from
/// then on.
func expectGolden(
  _ output: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try expectGolden(Array(output.utf8), name, sourceLocation: sourceLocation)
}

/// Compares an output with the expected one, byte by byte.
func expectGolden(
  _ output: [UInt8], _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  let file = folder.appendingPathComponent("Golden/\(name)")
  if ProcessInfo.processInfo.environment["ACCEPT_GOLDEN"] == "1" { try Data(output).write(to: file) }
  let golden = try Data(contentsOf: file)
  #expect(Data(output) == golden, "not as in Golden/\(name)", sourceLocation: sourceLocation)
}
