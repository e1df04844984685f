/// Why the tool cannot do what it was asked to, as one sentence for people.
struct ToolFailure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Prints one line to standard error, marked as this tool's.
func printError(_ line: String) {
  StandardStream.error.write("liveobjects: \(line)\n")
}
