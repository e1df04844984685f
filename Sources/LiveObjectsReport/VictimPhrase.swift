import LiveObjectsAnalysis

extension Cause {
  private static let listedTypes = 3

  /// `and 12 objects that only these objects keep alive: Handler × 4, Buffer × 4, [UInt8] × 2 and 2 more types`; `nil`
  /// without such objects.
  var victimPhrase: String? {
    guard victims > 0 else { return nil }
    let types = victimTypes.map { "\($0.type.withoutModules) × \(Count.grouped($0.objects))" }
    let rest = types.count - Self.listedTypes
    let isCut = types.count >= Finding.mostVictimTypes
    let others = isCut ? "other types" : Count.of(rest, "more type", "more types")
    let more = rest > 0 ? " and \(others)" : ""
    let list = types.isEmpty ? "" : ": \(types.prefix(Self.listedTypes).joined(separator: ", "))\(more)"
    return "and \(Count.of(victims, "object", "objects")) that \(holderPhrase) alive\(list)"
  }
}
