import LiveObjectsAnalysis

/// Renders a report as the summary of a CI job, in GitHub's Markdown.
struct MarkdownRenderer {
  /// GitHub refuses a summary of more than 1 MiB; the rest of the room is for the lines at the end.
  private static let mostBytes = 1_000_000
  private static let detailedCauses = 25
  private static let listedCauses = 200
  private static let listedNotes = 25

  private var text: String

  static func render(_ report: Report) -> String {
    let causes = report.causes
    let leaks = causes.filter { $0.section == .leaks }
    var page = MarkdownRenderer(text: "## LiveObjects\n\n")
    page.add(verdictOf: report, causes)
    let detailed = page.add(detailsOf: leaks)
    let named = page.add(namesOf: leaks.dropFirst(detailed))
    page.add(omitted: leaks.count - detailed - named)
    page.add(othersIn: causes, of: report)
    page.add(notes: report.notes)
    return page.text
  }

  /// - Returns: `false` if there is no room.
  private mutating func add(_ block: MarkdownText) -> Bool {
    guard text.utf8.count + block.text.utf8.count <= Self.mostBytes else { return false }
    text += block.text
    return true
  }

  private mutating func add(verdictOf report: Report, _ causes: [Cause]) {
    if let failure = report.tracking.evaluationFailure { _ = add("**\(failure)**\n\n") }
    let headline = TextHeadline.text(of: report, causes)
    _ = add("**\(headline)**\n\n")
  }

  /// - Returns: the number of causes with details.
  private mutating func add(detailsOf leaks: [Cause]) -> Int {
    var count = 0
    for cause in leaks.prefix(Self.detailedCauses) {
      guard add(MarkdownCause(cause, number: count + 1, isOpen: leaks.count <= 3).text) else { break }
      count += 1
    }
    return count
  }

  /// - Returns: the number of causes that are named.
  private mutating func add(namesOf leaks: some Collection<Cause>) -> Int {
    var count = 0
    for cause in leaks.prefix(Self.listedCauses) {
      guard add("* \(code: cause.name): \(cause.sum.size)\n") else { break }
      count += 1
    }
    if count > 0 { text += "\n" }
    return count
  }

  private mutating func add(omitted count: Int) {
    guard count > 0 else { return }
    _ = add("… and \(Count.of(count, "more leak", "more leaks")), which this summary has no room for.\n\n")
  }

  private mutating func add(othersIn causes: [Cause], of report: Report) {
    let lines = SectionSummary.afterLeaks(causes, in: report)
    let accepted = report.accepted.sentences
    for line in lines {
      _ = add("* **\(line.name):** \(line.sentence)\n")
      for fix in line.fixes { _ = add("  * Fix for \(fix)\n") }
    }
    for (sentence, _) in accepted { _ = add("* \(sentence).\n") }
    if !lines.isEmpty || !accepted.isEmpty { text += "\n" }
  }

  private mutating func add(notes: [String]) {
    for note in notes.prefix(Self.listedNotes) { _ = add("> Note: \(note)\n>\n") }
    let more = Count.more(than: Self.listedNotes, of: notes.count, "note", "notes")
    if let more { _ = add("> … \(more)\n") }
  }
}

/// A leak's cause as a section that can be opened.
private struct MarkdownCause {
  private static let listedTests = 10
  private static let listedCallSites = 5

  private(set) var text: MarkdownText

  init(_ cause: Cause, number: Int, isOpen: Bool) {
    text = isOpen ? "<details open>\n" : "<details>\n"
    text += "<summary>\(number). <code>\(html: cause.name)</code> (\(html: cause.sum.size))"
    // Seen while the section is closed.
    if let hint = cause.sum.hint { text += "<br><b>Fix:</b> \(html: HintText(hint).text)" }
    text += "</summary>\n\n"
    add(pathOf: cause.sum)
    for variant in cause.listedVariants {
      text += "And likewise: \(code: variant.title) (\(variant.size))\n\n"
      add(pathOf: variant)
      if let hint = variant.hint { text += "**Fix:** \(HintText(hint).text)\n\n" }
    }
    if let rest = cause.unlistedVariants { text += "And likewise \(rest)\n\n" }
    add(callSitesOf: cause)
    add(testsOf: cause)
    for remark in cause.remarks { text += "Note: \(remark)\n\n" }
    text += "Fingerprint: \(code: cause.id)\n\n</details>\n\n"
  }

  private mutating func add(pathOf finding: Finding) {
    if let graph = PathGraph(of: finding) {
      text += "```mermaid\n\(markup: graph.mermaid)```\n\n"
    }
    if let other = ShownPath(ofOtherCycleIn: finding) {
      text += "The objects form a second cycle: \(code: other.segments.joined(separator: " → "))\n\n"
    }
  }

  private mutating func add(callSitesOf cause: Cause) {
    let sites = cause.callSites.filter { !$0.frames.isEmpty }
    guard !sites.isEmpty else { return }
    text += "Allocated at\n\n"
    let listed = sites.prefix(Self.listedCallSites)
    for site in listed {
      text += "* \(site.times) "
      if !site.types.isEmpty { text += "\(code: site.shownTypes) at " }
      for (index, frame) in site.frames.enumerated() {
        text += "\(index > 0 ? ", from " : "")\(code: frame.function) \(frame.location)"
      }
      text += "\n"
    }
    let all = sites.count + cause.omittedCallSites
    let more = Count.more(than: listed.count, of: all, "call site", "call sites")
    if let more { text += "* … \(more)\n" }
    text += "\n"
  }

  private mutating func add(testsOf cause: Cause) {
    guard !cause.tests.isEmpty else { return }
    text += "Left behind by\n\n"
    for test in cause.tests.prefix(Self.listedTests) { text += "* \(code: test.description)\n" }
    let more = Count.more(than: Self.listedTests, of: cause.tests.count, "test", "tests")
    if let more { text += "* … \(more)\n" }
    text += "\n"
  }
}
