extension Report.Accepted {
  /// What was done with the baseline, and which of its entries and of the suppressions are of no use any more: clauses,
  /// each with the entries that it is about.
  var sentences: [(text: String, entries: [String])] {
    let unused = suppressions.filter { $0.findings == 0 }
    return [
      written.map { ($0, []) },
      staleEntries.isEmpty ? nil : (stale, Self.grouped(staleEntries)),
      unused.isEmpty
        ? nil
        : (
          "\(Count.of(unused.count, "suppression matches", "suppressions match")) nothing",
          unused.map { "line \($0.line): \($0.text)" }
        ),
    ].compactMap { $0 }
  }

  private var written: String? {
    guard case .written(let entries) = change, let baselineFile else { return nil }
    return
      "Wrote \(baselineFile.fileName) with \(Count.of(entries, "entry", "entries")): review it, and commit it"
  }

  private var stale: String {
    let count = Count.of(staleEntries.count, "stale entry", "stale entries")
    if change == .pruned { return "Removed \(count) from \(baselineFile?.fileName ?? "the baseline")" }
    let (occur, them) = staleEntries.count == 1 ? ("occurs", "it") : ("occur", "them")
    return "\(count) in the baseline no longer \(occur); --prune-baseline removes \(them)"
  }

  /// Lines of the baseline; those of one fingerprint are one: `a303104c8a1f2777  retainCycle Demo.Loader  in 50 tests`.
  private static func grouped(_ lines: [String]) -> [String] {
    let fields = lines.map { $0.split(separator: "\t").map(String.init) }
    let byFingerprint = Dictionary(grouping: fields) { $0.first ?? "" }
    return byFingerprint.sorted { $0.key < $1.key }.map { fingerprint, lines in
      let first = lines[0]
      let test = first.count > 1 ? first[1] : ""
      let tests = lines.count == 1 ? test : "in \(Count.of(lines.count, "test", "tests"))"
      return ([fingerprint] + first.dropFirst(2).prefix(1) + [tests] + first.dropFirst(3)).joined(
        separator: "  ")
    }
  }
}
