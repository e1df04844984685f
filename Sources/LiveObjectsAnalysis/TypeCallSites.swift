/// The call sites that a report shows of a type: those that allocated most of what grew.
package enum TypeCallSites {
  /// Call sites of a type.
  package static let maximumListed = 3
  /// Types whose stack traces get names, beyond those that findings need. Names take time.
  private static let maximumTypes = 32

  /// The stack traces that allocated most of the types that grew most.
  static func stackTraces(of groups: [ObjectGroup]) -> [UInt32] {
    let grown = groups.lazy.filter { $0.all.growth > 0 && $0.key.stackTrace != 0 }
    let types = Dictionary(grouping: grown, by: \.key.type).sorted { a, b in
      (bytes(of: b.value), a.key) < (bytes(of: a.value), b.key)
    }
    return types.prefix(maximumTypes).flatMap { largest(of: $0.value) }
  }

  private static func largest(of groups: [ObjectGroup]) -> some Sequence<UInt32> {
    Dictionary(grouping: groups, by: \.key.stackTrace)
      .sorted { a, b in (bytes(of: b.value), a.key) < (bytes(of: a.value), b.key) }
      .prefix(maximumListed).map(\.key)
  }

  private static func bytes(of groups: [ObjectGroup]) -> UInt64 {
    groups.reduce(into: 0) { $0.add(saturating: $1.all.growthBytes) }
  }
}
