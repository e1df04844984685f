import LiveObjectsCapture

/// The number of live objects of one type, and their memory.
///
/// Includes the few objects whose deinit has run and whose memory unowned references keep, which other reports leave out.
public struct TypeCount: Sendable, Hashable {
  /// Demangled, module-qualified. Closure contexts and boxes, which have no name, count as one type.
  public var type: String
  /// Whether the type belongs to the program or one of its packages, not to the Swift toolchain.
  public var isUserDefined: Bool
  public var instances: Int
  /// The bytes that the instances asked for.
  public var bytes: Int

  public init(type: String, isUserDefined: Bool, instances: Int, bytes: Int) {
    self.type = type
    self.isUserDefined = isUserDefined
    self.instances = instances
    self.bytes = bytes
  }
}

extension Capture {
  /// The counts of a capture of counts, most bytes first.
  package var typeCounts: [TypeCount] {
    var counts: [String: TypeCount] = [:]
    for counted in countedTypes ?? [] {
      let (text, isUserDefined) = TypeLabel.counted(types[counted.type], of: self)
      counts[
        text, default: TypeCount(type: text, isUserDefined: isUserDefined, instances: 0, bytes: 0)
      ].add(counted)
    }
    return counts.values.sorted { ($1.bytes, $0.type) < ($0.bytes, $1.type) }
  }
}

extension TypeCount {
  /// The sums stay far below the limit in any process; a capture from elsewhere may have any numbers.
  fileprivate mutating func add(_ counted: CountedType) {
    instances = instances.addingClamped(counted.objects)
    bytes = bytes.addingClamped(counted.bytes)
  }
}

extension Int {
  fileprivate func addingClamped(_ other: UInt64) -> Int {
    let (sum, overflows) = addingReportingOverflow(Int(clamping: other))
    return overflows ? .max : sum
  }
}

extension TypeLabel {
  /// The name of a type without stack traces.
  fileprivate static func counted(
    _ type: TypeDescription, of capture: Capture
  ) -> (text: String, isUserDefined: Bool) {
    guard let label = TypeLabel(type, of: capture) else {
      return (unattributed, false)
    }
    return (label.text, label.isUserDefined)
  }
}
