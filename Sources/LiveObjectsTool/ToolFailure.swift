/// Why the tool cannot do what it was asked to, as one sentence for people.
struct ToolFailure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Prints one line to standard error, marked as this tool's. Whatever is in it, it stays one line, and does nothing to
/// a terminal: much of it comes from programs and from captures.
func printError(_ line: String) {
  StandardStream.error.write("liveobjects: \(line.printable)\n")
}
