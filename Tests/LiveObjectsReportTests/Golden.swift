import Foundation
import Testing

/// Compares an output with the expected one.
func expectGolden(
  _ output: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  let golden = try String(contentsOf: folder.appendingPathComponent("Golden/\(name)"), encoding: .utf8)
  #expect(output == golden, "not as in Golden/\(name)", sourceLocation: sourceLocation)
}
