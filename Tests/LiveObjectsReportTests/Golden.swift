import Foundation
import Testing

/// Compares an output with the expected one; with `ACCEPT_GOLDEN=1` it becomes that.
func expectGolden(
  _ output: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  if ProcessInfo.processInfo.environment["ACCEPT_GOLDEN"] != nil {
    try output.write(to: folder.appendingPathComponent("Golden/\(name)"), atomically: true, encoding: .utf8)
  }
  let golden = try String(contentsOf: folder.appendingPathComponent("Golden/\(name)"), encoding: .utf8)
  #expect(output == golden, "not as in Golden/\(name)", sourceLocation: sourceLocation)
}
