extension TextPage {
  private static let listedEntries = 10

  /// Adds the lines about what is not listed.
  mutating func add(summaries rows: [[String]]) {
    guard !rows.isEmpty else { return }
    add()
    add(rows: rows, [.left, .left, .left], indentation: 0)
  }

  /// Adds entries of the baseline and suppressions that are of no use any more.
  mutating func add(acceptedOf accepted: Report.Accepted) {
    let unused = accepted.suppressions.filter { $0.findings == 0 }
    guard !(accepted.staleEntries.isEmpty && unused.isEmpty) else { return }
    add()
    if !accepted.staleEntries.isEmpty {
      let (entries, occur) = accepted.staleEntries.count == 1 ? ("entry", "occurs") : ("entries", "occur")
      add(
        "\(Count.grouped(accepted.staleEntries.count)) stale \(entries) in the baseline no longer \(occur); "
          + "--prune-baseline removes \(entries == "entry" ? "it" : "them"):")
      add(list: accepted.staleEntries.map { $0.split(separator: "\t").joined(separator: "  ") })
    }
    if !unused.isEmpty {
      add("\(Count.of(unused.count, "suppression matches", "suppressions match")) nothing:")
      add(list: unused.map { "line \($0.line): \($0.text)" })
    }
  }

  private mutating func add(list entries: [String]) {
    for entry in entries.prefix(Self.listedEntries) { add("  " + entry.shortened(to: Self.width - 2)) }
    let rest = entries.count - Self.listedEntries
    if rest > 0 { add("  … and \(Count.grouped(rest)) more") }
  }

  private static let listedNotes = 25

  /// Adds the first notes, a line each.
  mutating func add(notes: [String]) {
    guard !notes.isEmpty else { return }
    add()
    for note in notes.prefix(Self.listedNotes) { add("note: \(note)", style: .dim) }
    let rest = notes.count - Self.listedNotes
    guard rest > 0 else { return }
    add("… and \(Count.of(rest, "more note", "more notes")); the JSON report has them all", style: .dim)
  }
}
