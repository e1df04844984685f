/// A path through the heap: its start, and the references it follows.
struct ObjectPath {
  var start: Int
  /// Indices into the graph's references, each starting where the one before ends, unless the path is too
  /// long to be kept: its middle is missing then.
  var references: [Int]
}
