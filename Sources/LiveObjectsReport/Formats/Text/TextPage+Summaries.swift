extension TextPage {
  private static let listedEntries = 10

  /// Adds the lines about what is not listed, each with how to fix the first of it.
  mutating func add(summaries: [SectionSummary]) {
    guard !summaries.isEmpty else { return }
    add()
    let lines = Self.lines(of: summaries.map(\.row), [.left, .left, .left])
    for (line, summary) in zip(lines, summaries) {
      add(line)
      for fix in summary.fixes { add(words: "fix for \(fix)", indentation: 2, style: .green) }
    }
  }

  /// Adds what was done with the baseline, and its entries and the suppressions that are of no use any more.
  mutating func add(acceptedOf accepted: Report.Accepted) {
    let sentences = accepted.sentences
    guard !sentences.isEmpty else { return }
    add()
    for (sentence, entries) in sentences {
      add(entries.isEmpty ? sentence + "." : sentence + ":")
      add(list: entries)
    }
  }

  private mutating func add(list entries: [String]) {
    for entry in entries.prefix(Self.listedEntries) { add("  " + entry.shortened(to: width - 2)) }
    let rest = entries.count - Self.listedEntries
    if rest > 0 { add("  … and \(Count.grouped(rest)) more") }
  }

  private static let listedNotes = 25

  /// Adds the first notes, a line each.
  mutating func add(notes: [String]) {
    guard !notes.isEmpty else { return }
    add()
    for note in notes.prefix(Self.listedNotes) { add("note: \(note)", style: .dim) }
    let more = Count.more(than: Self.listedNotes, of: notes.count, "note", "notes")
    if let more { add("… \(more); the JSON report has them all", style: .dim) }
  }
}
