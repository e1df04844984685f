/// The call sites of the types that grew most.
package enum TypeCallSites {
  /// Call sites of a type.
  package static let maximumListed = 3
  /// Types with call sites. Names take time, and findings have call sites of their own.
  private static let maximumTypes = 32

  /// The stack traces that allocated most, by type: an index into `Capture.types`.
  static func stackTraces(of groups: [ObjectGroup]) -> [Int: Set<UInt32>] {
    let grown = groups.lazy.filter { $0.all.growth > 0 && $0.key.stackTrace != 0 }
    let types = Dictionary(grouping: grown, by: \.key.type).sorted { a, b in
      (bytes(of: b.value), a.key) < (bytes(of: a.value), b.key)
    }
    return Dictionary(uniqueKeysWithValues: types.prefix(maximumTypes).map { ($0, largest(of: $1)) })
  }

  private static func largest(of groups: [ObjectGroup]) -> Set<UInt32> {
    let traces = Dictionary(grouping: groups, by: \.key.stackTrace).sorted { a, b in
      (bytes(of: b.value), a.key) < (bytes(of: a.value), b.key)
    }
    return Set(traces.lazy.prefix(maximumListed).map(\.key))
  }

  private static func bytes(of groups: [ObjectGroup]) -> Double {
    groups.reduce(into: 0) { $0 += $1.all.estimatedGrowth.bytes }
  }
}
