/// A failure of the tool, as one human-readable sentence.
struct ToolFailure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Prints one line on standard error, marked as this tool's. It stays one line without control characters:
/// much of it comes from programs and from captures.
func printError(_ line: String) {
  StandardStream.error.write("liveobjects: \(line.printable)\n")
}
