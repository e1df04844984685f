/// The forms in which a report can be written.
package enum ReportFormat: String, Sendable, CaseIterable {
  /// For people, in a terminal or a log.
  case text
  /// For programs; `Documentation/internals/json-report.md` has its keys.
  case json
  /// For a browser: one page, with tables and a flame graph.
  case html
  /// For the summary of a CI job.
  case markdown
  /// For Graphviz: the paths of the leaks.
  case dot
  /// For test reporters of CI systems: JUnit's XML.
  case junit
  /// For code scanning and editors: SARIF 2.1.0.
  case sarif
  /// For flame graphs: collapsed stacks, with the number of live objects.
  case folded
  /// For https://www.speedscope.app: live objects and bytes by call site.
  case speedscope
  /// For `pprof`: live objects and bytes by call site.
  case pprof

  /// The bytes of a report in this form.
  ///
  /// - Parameter text: how text is rendered.
  package func bytes(of report: Report, text: TextRenderer = TextRenderer()) -> [UInt8] {
    switch self {
    case .text: Array(Self.text(of: report, text).utf8)
    case .json: JSONRenderer().bytes(of: report)
    case .html: Array(HTMLRenderer.render(report).utf8)
    case .markdown: Array(MarkdownRenderer.render(report).utf8)
    case .dot: Array(DotRenderer.render(report).utf8)
    case .junit: Array(JUnitRenderer().render(report).utf8)
    case .sarif: Array(SARIFRenderer(of: report).text.utf8)
    case .folded: Array(FoldedRenderer().render(report).utf8)
    case .speedscope: Array(SpeedscopeRenderer().render(report).utf8)
    case .pprof: PprofRenderer(of: report).bytes
    }
  }

  private static func text(of report: Report, _ renderer: TextRenderer) -> String {
    report.comparison.map { ComparisonText($0, in: report, renderer).text }
      ?? renderer.render(report)
  }
}
