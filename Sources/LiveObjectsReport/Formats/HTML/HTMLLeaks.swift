import LiveObjectsAnalysis

/// The leaks of a page, an article for each cause.
struct HTMLLeaks {
  /// Causes with an article; the table has them all.
  static let listedCauses = 50
  private static let listedCallSites = 8
  private static let openTests = 5
  private static let listedTests = 500

  let section: HTML

  init(_ causes: [Cause]) {
    let leaks = causes.filter { $0.section == .leaks }
    let articles = leaks.prefix(Self.listedCauses).enumerated().map { Self.article($1, $0 + 1) }.joined()
    let more = Count.more(than: Self.listedCauses, of: leaks.count, "leak", "leaks")
    let remark = leaks.isEmpty ? "None." : more.map { "… \($0), in the table of causes." }
    let closing = remark.map { "<p class=\"card\">\($0)</p>" as HTML } ?? ""
    section = "<section id=\"leaks\"><h2>Leaks</h2>\n\(articles)\(closing)</section>"
  }

  private static func article(_ cause: Cause, _ number: Int) -> HTML {
    """
    <article class="card" id="leak-\(number)">
    <h3><a class="number" href="#leak-\(number)">\(number)</a> <span class="name">\(cause.name)</span></h3>
    <p class="size">\(cause.sum.size) <span class="fingerprint">fingerprint <code>\(cause.id)</code></span></p>
    \(fix(of: cause.sum) ?? "<p class=\"nofix\">No fix is named: no change is known to be safe.</p>")
    <div class="columns">
    \(figure(of: cause.sum))
    <div>
    \(allocatedAt(cause))
    \(retainedAt(cause.retainedAt))
    \(tests(of: cause))
    </div>
    </div>
    \(cause.remarks.map { "<p class=\"remark\">\($0)</p>\n" as HTML }.joined())
    \(variants(of: cause))
    </article>

    """
  }

  private static func variants(of cause: Cause) -> HTML {
    cause.listedVariants.map(variant).joined()
      + (cause.unlistedVariants.map { "<p class=\"remark\">Likewise \($0)</p>" } ?? "")
  }

  private static func variant(_ finding: Finding) -> HTML {
    """
    <h4>Likewise: \(finding.title)</h4>
    <p class="size">\(finding.size) <span class="fingerprint">fingerprint <code>\(finding.fingerprint)</code></span></p>
    \(fix(of: finding) ?? "")
    \(figure(of: finding))
    """
  }

  private static func fix(of finding: Finding) -> HTML? {
    finding.hint.map { "<p class=\"fix\"><strong>fix:</strong> \(HintText($0).text)</p>" }
  }

  private static func figure(of finding: Finding) -> HTML {
    let other = ShownPath(ofOtherCycleIn: finding).map {
      "<p class=\"remark\">The objects form a second cycle: <code>\($0.segments.joined(separator: " → "))</code></p>"
        as HTML
    }
    return (PathGraph(of: finding).map { HTMLPathGraph($0).figure } ?? "") + (other ?? "")
  }
}

// MARK: - Call sites

extension HTMLLeaks {
  private static func allocatedAt(_ cause: Cause) -> HTML {
    let sites = cause.callSites.filter { !$0.frames.isEmpty }
    let listed = sites.prefix(listedCallSites)
    let rows = listed.flatMap { site in
      (site.types.isEmpty ? [] : [row(site.times, site.shownTypes, "")])
        + frameRows(site.frames, count: site.types.isEmpty ? site.times : "")
        + site.callers.prefix(listedCallSites).map { caller in
          row(site.times(caller.instances), "from \(caller.frame.function)", caller.frame.location)
        }
    }
    let more = more(than: listed.count, of: sites.count + cause.omittedCallSites)
    let victims = cause.victimPhrase.map { "<p class=\"more\">\($0)</p>" as HTML } ?? ""
    return callSites("Allocated at", rows, more + victims)
  }

  private static func retainedAt(_ sites: [Finding.RetainingCallSite]) -> HTML {
    let rows = sites.prefix(listedCallSites).flatMap { site in
      frameRows(
        site.frames.isEmpty ? [.unknown] : ShownFrame.frames(of: site.frames),
        count: "+\(Count.grouped(site.unmatched))")
    }
    return callSites("Retained at", rows, more(than: listedCallSites, of: sites.count))
  }

  private static func more(than listed: Int, of all: Int) -> HTML {
    Count.more(than: listed, of: all, "call site", "call sites").map { "<p class=\"more\">… \($0)</p>" } ?? ""
  }

  private static func callSites(_ title: HTML, _ rows: [HTML], _ more: HTML) -> HTML {
    guard !rows.isEmpty else { return "" }
    return """
      <h4>\(title)</h4>
      <table class="calls"><thead class="hidden"><tr>
      <th scope="col">Number</th><th scope="col">Function</th><th scope="col">Place</th>
      </tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>
      \(more)
      """
  }

  private static func frameRows(_ frames: [ShownFrame], count: String) -> [HTML] {
    frames.enumerated().map { row($0 == 0 ? count : "", $1.function, $1.location) }
  }

  private static func row(_ count: String, _ function: String, _ location: String) -> HTML {
    """
    <tr><td class="count">\(count)</td><td><code>\(function.abridged(to: 200))</code></td><td>\(location)</td></tr>

    """
  }
}

// MARK: - Tests

extension HTMLLeaks {
  private static func tests(of cause: Cause) -> HTML {
    guard !cause.tests.isEmpty else { return "" }
    let others = cause.hasUnattributed ? ", and outside of tests" : ""
    let title = "Left behind by \(Count.of(cause.tests.count, "test", "tests"))\(others)"
    let items = cause.tests.prefix(listedTests).map { "<li><code>\($0.description)</code></li>\n" as HTML }
    let more = Count.more(than: listedTests, of: cause.tests.count, "test", "tests")
    let rest = more.map { "<li>… \($0)</li>\n" as HTML } ?? ""
    let list: HTML = "<ul class=\"tests\">\n\(items.joined())\(rest)</ul>"
    guard cause.tests.count > openTests else { return "<h4>\(title)</h4>\n\(list)" }
    return "<details><summary>\(title)</summary>\n\(list)</details>"
  }
}
