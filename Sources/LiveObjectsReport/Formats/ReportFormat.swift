/// The forms in which a report can be written.
package enum ReportFormat: String, Sendable, CaseIterable {
  /// For people, in a terminal or a log.
  case text
  /// For programs; `Documentation/internals/json-report.md` has its keys.
  case json

  /// The bytes of a report in this form.
  ///
  /// - Parameter color: whether text is highlighted for a terminal.
  package func bytes(of report: Report, color: Bool = false) -> [UInt8] {
    switch self {
    case .text: Array(Self.text(of: report, color: color).utf8)
    case .json: Array(JSONRenderer().render(report).utf8)
    }
  }

  private static func text(of report: Report, color: Bool) -> String {
    report.comparison.map { ComparisonText($0, in: report, color: color).text }
      ?? TextRenderer(color: color).render(report)
  }
}
