import LiveObjectsAnalysis

/// Leaks of different fingerprints that one change ends: they have the same `fix:` line, or, without one, a reference in
/// common. Cutting that reference ends all of them, whatever else is in their cycles.
///
/// Each leak belongs to the reference that most leaks have, so that a subscriber that keeps what it has received is
/// one cause, not one for each operator that it subscribes to.
struct SharedCuts {
  /// A place to cut: of a hint, or a step of a cycle. Generic arguments and indices do not count.
  private struct Cut: Hashable, Comparable {
    var verdict: Finding.Verdict
    var names: [String]

    static func < (a: Cut, b: Cut) -> Bool { a.names.lexicographicallyPrecedes(b.names) }
  }

  /// The causes of findings, as groups of those with one fingerprint each.
  ///
  /// - Parameter groups: the findings of each fingerprint.
  static func joined(_ groups: [[Finding]]) -> [[[Finding]]] {
    let cuts = groups.map(cuts(of:))
    let counts = Dictionary(cuts.lazy.joined().map { ($0, 1) }, uniquingKeysWith: +)
    var causes: [Cut: [[Finding]]] = [:]
    var others: [[[Finding]]] = []
    for (findings, cuts) in zip(groups, cuts) {
      if let most = cuts.max(by: { (counts[$0]!, $1) < (counts[$1]!, $0) }) {
        causes[most, default: []].append(findings)
      } else {
        others.append([findings])
      }
    }
    return causes.values + others
  }

  private static func cuts(of findings: [Finding]) -> Set<Cut> {
    let verdict = findings[0].verdict
    let places = findings.compactMap(\.hint).flatMap(\.places)
    guard places.isEmpty else {
      return Set(places.map { Cut(verdict: verdict, names: $0.identity) })
    }
    guard verdict == .retainCycle else { return [] }
    return Set(findings[0].path.filter(\.isOfProgram).map { Cut(verdict: verdict, names: $0.identity) })
  }
}

extension Finding.Hint.Place {
  fileprivate var identity: [String] {
    [kind.rawValue, name.withoutArguments, file ?? "", line.map(String.init) ?? ""]
  }
}

extension Finding.PathStep {
  /// Whether it may be a reference of the program: those of the toolchain's types are in cycles of many causes.
  fileprivate var isOfProgram: Bool {
    !reference.isEmpty && type.contains(".") && !type.hasPrefix("[")
      && !SystemModules.contains(type.prefix { $0 != "." })
  }

  fileprivate var identity: [String] {
    [type.withoutArguments, referenceWithoutElements.withoutArguments]
  }
}
