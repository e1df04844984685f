import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report for people to read.
public struct TextRenderer: Sendable {
  /// Marks what matters with terminal colours.
  public var color: Bool

  public init(color: Bool = false) {
    self.color = color
  }

  public func render(_ report: Report) -> String {
    var page = TextPage(color: color)
    page.add(TextHeadline.text(of: report), style: .bold)
    if report.tracking.wasWatched { addFindings(report.findings, to: &page) }
    addTypes(report.types, to: &page)
    addPinned(report.types, to: &page)
    addNotes(report.tracking.notes, to: &page)
    return page.text
  }
}

// MARK: - Findings

extension TextRenderer {
  private static let listedFindings = 25
  private static let listedCallSites = 5
  private static let listedFrames = 4

  private func addFindings(_ findings: [Finding], to page: inout TextPage) {
    for finding in findings.prefix(Self.listedFindings) {
      page.add()
      page.add("  " + title(of: finding), style: .bold)
      let rows = finding.allocatedAt.prefix(Self.listedCallSites).flatMap(rows)
      page.add(rows: rows, [.right, .left, .left], indentation: 4)
      addOmittedCallSites(of: finding, to: &page)
    }
    let rest = findings.dropFirst(Self.listedFindings)
    guard !rest.isEmpty else { return }
    let instances = rest.reduce(0) { $0 + $1.instances }
    page.add()
    page.add(
      "  … and \(Count.of(rest.count, "more finding", "more findings")) "
        + "with \(Count.of(instances, "instance", "instances")); the JSON report lists them all")
  }

  /// Closures and boxes say in their name what they are.
  private func title(of finding: Finding) -> String {
    let size = "\(Count.of(finding.instances, "instance", "instances")), \(Count.bytes(finding.bytes))"
    let kind = finding.kind.rawValue
    return finding.type.hasPrefix(kind) ? "\(finding.type)  \(size)" : "\(finding.type)  (\(kind))  \(size)"
  }

  /// The call site with its count, then who called it.
  private func rows(of site: Finding.CallSite) -> [[String]] {
    shownFrames(of: site).enumerated().map { index, frame in
      let count = index == 0 ? "\(Count.grouped(site.instances)) ×" : ""
      let function = frame.function ?? "(no symbol) in \(frame.module)"
      return [count, function, location(of: frame)]
    }
  }

  /// The program's own frames that its author wrote; where there are none, whatever is known.
  private func shownFrames(of site: Finding.CallSite) -> some Collection<SourceFrame> {
    let own = site.frames.filter { $0.isUsers && !$0.isCompilers && $0.file != nil }
    return (own.isEmpty ? site.frames : own).prefix(Self.listedFrames)
  }

  private func location(of frame: SourceFrame) -> String {
    guard let file = frame.file else { return "" }
    let name = file.fileName
    return frame.line.map { "\(name):\($0)" } ?? name
  }

  private func addOmittedCallSites(of finding: Finding, to page: inout TextPage) {
    let listed = finding.allocatedAt.prefix(Self.listedCallSites)
    let more = finding.allocatedAt.count - listed.count + finding.omittedCallSites
    guard more > 0 else { return }
    page.add("    … and \(Count.of(more, "more call site", "more call sites"))")
  }
}

// MARK: - Types and notes

extension TextRenderer {
  private static let listedTypes = 20
  private static let typeWidth = 60

  private func addTypes(_ types: [TypeGrowth], to page: inout TextPage) {
    let grown = types.filter { $0.growth > 0 }
    guard !grown.isEmpty else { return }
    var rows = [["Growth by type", "growth", "live", "bytes", "kind"]]
    rows += grown.prefix(Self.listedTypes).map(row)
    if grown.count > Self.listedTypes { rows.append(summary(of: grown.dropFirst(Self.listedTypes))) }
    page.add()
    page.add(rows: rows, [.left, .right, .right, .right, .left], indentation: 2)
  }

  private func row(of type: TypeGrowth) -> [String] {
    [
      shortened(type.type), Count.grouped(type.growth), Count.grouped(type.live),
      Count.bytes(type.growthBytes), type.kind.rawValue,
    ]
  }

  private func summary(of types: some Collection<TypeGrowth>) -> [String] {
    [
      "… and \(Count.of(types.count, "more type", "more types"))",
      Count.grouped(types.reduce(0) { $0 + $1.growth }), Count.grouped(types.reduce(0) { $0 + $1.live }),
      Count.bytes(types.reduce(into: UInt64(0)) { $0.add(saturating: $1.growthBytes) }), "",
    ]
  }

  private func shortened(_ name: String) -> String {
    name.count <= Self.typeWidth ? name : name.prefix(Self.typeWidth - 1) + "…"
  }

  private func addPinned(_ types: [TypeGrowth], to page: inout TextPage) {
    let pinned = types.filter { $0.isUsers && $0.pinned > 0 }
    guard !pinned.isEmpty else { return }
    page.add()
    page.add("  Deinitialised, their memory kept by unowned references")
    page.add(
      rows: pinned.map { ["\(Count.grouped($0.pinned)) ×", $0.type] }, [.right, .left], indentation: 4)
  }

  private func addNotes(_ notes: [String], to page: inout TextPage) {
    guard !notes.isEmpty else { return }
    page.add()
    for note in notes { page.add("  note: \(note)", style: .dim) }
  }
}
