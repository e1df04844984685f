import LiveObjectsAnalysis

/// Renders a report as one page for a browser, which loads nothing else.
///
/// The verdict and the leaks are static. A script adds tables of everything and a flame graph of the call sites, from
/// the JSON report, which the page contains. Its policy allows that one script, known by its hash, and no connection at all.
package struct HTMLRenderer {
  private static let listedNotes = 100

  static func render(_ report: Report) -> String {
    let causes = report.causes
    let headline = TextHeadline.text(of: report, causes)
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      \(head(headline, script: HTMLScript.hash))
      <body>
      <a class="skip" href="#main">Skip to the report</a>
      \(header(report, headline))
      <main id="main">
      \(HTMLLeaks(causes).section)
      \(others(causes, of: report))
      \(notes(of: report))
      <noscript><p class="card">Tables of all findings, types and tests, and a flame graph of the call sites, need JavaScript.</p></noscript>
      </main>
      <script type="application/json" id="report-data">\(json: JSONReport(report, causes).document)</script>
      <script>\(markup: HTMLScript.text)</script>
      </body>
      </html>

      """
    return page.text
  }

  /// - Parameter script: the hash of the page's script; `nil` if it has none.
  package static func head(_ headline: String, script: String?) -> HTML {
    """
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy(script))">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>\(headline)</title>
    <style>\(markup: HTMLStyle.text)</style>
    </head>
    """
  }

  /// The data is no script, so it needs no hash.
  private static func policy(_ script: String?) -> String {
    "default-src 'none'; " + (script.map { "script-src 'sha256-\($0)'; " } ?? "")
      + "style-src 'sha256-\(HTMLStyle.hash)'; base-uri 'none'; form-action 'none'"
  }

  private static func header(_ report: Report, _ headline: String) -> HTML {
    let failure = report.tracking.evaluationFailure.map { "<p class=\"warning\">\($0)</p>" as HTML } ?? ""
    let command = report.run.command.joined(separator: " ")
    let origin: HTML =
      command.isEmpty ? "" : "<p class=\"origin\"><code>\(command.abridged(to: 300))</code></p>"
    return """
      <header class="\(markup: HTMLVerdict(report).rawValue)">
      <h1>\(String(headline.trimmingPrefix("LiveObjects: ")))</h1>
      \(failure)\(origin)
      <nav id="nav" aria-label="Sections"><a href="#leaks">Leaks</a></nav>
      </header>
      """
  }

  private static func others(_ causes: [Cause], of report: Report) -> HTML {
    let lines = SectionSummary.afterLeaks(causes, in: report).map {
      "<li><strong>\($0.name)</strong> \($0.sentence)</li>\n" as HTML
    }
    let items = (lines + report.accepted.sentences.map { "<li>\($0.text)</li>\n" as HTML }).joined()
    guard !items.text.isEmpty else { return "" }
    return
      "<section id=\"others\"><h2>Other findings</h2>\n<ul class=\"card plain\">\n\(items)</ul></section>"
  }

  private static func notes(of report: Report) -> HTML {
    let notes = report.notes
    guard !notes.isEmpty else { return "" }
    let items = notes.prefix(listedNotes).map { "<li>\($0)</li>\n" as HTML }.joined()
    let more = Count.more(than: listedNotes, of: notes.count, "note", "notes")
    let rest = more.map { "<li>… \($0)</li>" as HTML } ?? ""
    return "<section id=\"notes\"><h2>Notes</h2>\n<ul class=\"card\">\n\(items)\(rest)</ul></section>"
  }
}

/// The class of the page's header.
private enum HTMLVerdict: String {
  case passes, fails, unknown

  init(_ report: Report) {
    let isEvaluated = report.tracking.wasWatched && report.tracking.unevaluated.isEmpty
    self = isEvaluated ? (report.failingFindings.isEmpty ? .passes : .fails) : .unknown
  }
}
