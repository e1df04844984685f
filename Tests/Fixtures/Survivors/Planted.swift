/// The expected numbers of one kind of survivor.
struct Planted {
  /// A human-readable name.
  var kind: String
  /// As the runtime spells it; empty where the objects have no named type.
  var type: String
  var count: Int
  /// Bytes of one object; a range if the standard library decides.
  var bytes: ClosedRange<Int>
  /// What the runtime's strong retain count of each is.
  var strongCount: Int
  /// The deinit of each has run.
  var isPinned: Bool
  var function: String
  /// The line that makes them.
  var line: Int

  init(
    _ kind: String, type: String = "", count: Int, bytes: ClosedRange<Int> = 17...4_096,
    strongCount: Int = 1, isPinned: Bool = false, line: Int, function: String = #function
  ) {
    self.kind = kind
    self.type = type
    self.count = count
    self.bytes = bytes
    self.strongCount = strongCount
    self.isPinned = isPinned
    self.function = function
    self.line = line
  }

  var json: String {
    """
    { "kind": "\(kind)", "type": "\(type)", "count": \(count), \
    "leastBytes": \(bytes.lowerBound), "mostBytes": \(bytes.upperBound), \
    "strongCount": \(strongCount), "isPinned": \(isPinned), "function": "\(function)", "line": \(line) }
    """
  }
}
