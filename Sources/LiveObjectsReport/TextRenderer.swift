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
    addGrowthNotice(report.findings, to: &page)
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
  private static let listedCallers = 5
  private static let functionWidth = 72

  /// Growth is not leak: nobody shall read more into a report than is known.
  private func addGrowthNotice(_ findings: [Finding], to page: inout TextPage) {
    guard !findings.isEmpty, findings.allSatisfy({ $0.verdict == .growth }) else { return }
    page.add("  This is growth; whether it leaks is not known, so only `--fail-on growth` fails on it.")
  }

  private func addFindings(_ findings: [Finding], to page: inout TextPage) {
    let groups = FindingGroup.groups(of: findings)
    for group in groups.prefix(Self.listedFindings) {
      page.add()
      page.add("  " + title(of: group), style: .bold)
      let rows = group.callSites.prefix(Self.listedCallSites).flatMap(rows)
      page.add(rows: rows, [.right, .left, .left, .left], indentation: 4)
      addOmittedCallSites(of: group, to: &page)
    }
    let rest = groups.dropFirst(Self.listedFindings)
    guard !rest.isEmpty else { return }
    let instances = rest.reduce(0) { $0 + $1.instances }
    page.add()
    page.add(
      "  … and \(Count.of(rest.count, "more type", "more types")) "
        + "with \(Count.of(instances, "instance", "instances")); the JSON report lists them all")
  }

  /// Closures and boxes say in their name what they are.
  private func title(of group: FindingGroup) -> String {
    let size = "\(Count.of(group.instances, "instance", "instances")), \(Count.bytes(group.bytes))"
    let kind = group.kind.rawValue
    return group.type.hasPrefix(kind) ? "\(group.type)  \(size)" : "\(group.type)  (\(kind))  \(size)"
  }

  /// The call site with its count, then who called it.
  private func rows(of site: CallSiteGroup) -> [[String]] {
    let shared = site.frames.enumerated().map { index, frame in
      [index == 0 ? times(site.instances) : "", shortened(frame.function), frame.location, ""]
    }
    let callers = site.callers.prefix(Self.listedCallers).map { caller in
      [
        "", shortened("  from \(caller.frame.function)"), caller.frame.location,
        "(\(times(caller.instances)))",
      ]
    }
    let more = site.callers.count - callers.count
    guard more > 0 else { return shared + callers }
    return shared + callers + [["", "  … and \(Count.of(more, "more caller", "more callers"))", "", ""]]
  }

  private func times(_ count: Int) -> String { "\(Count.grouped(count)) ×" }

  private func shortened(_ function: String) -> String { function.shortened(to: Self.functionWidth) }

  private func addOmittedCallSites(of group: FindingGroup, to page: inout TextPage) {
    let listed = group.callSites.prefix(Self.listedCallSites)
    let more = group.callSites.count - listed.count + group.omittedCallSites
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
    let rest = grown.dropFirst(Self.listedTypes)
    var rows = [["Growth by type", "growth", "live", "bytes", "kind"]]
    rows += grown.prefix(Self.listedTypes).map(row)
    if !rest.isEmpty { rows.append(summary(of: rest)) }
    page.add()
    // Without a baseline all that is alive has grown.
    if grown.allSatisfy({ $0.growth == $0.live }) {
      for index in rows.indices { rows[index].remove(at: 2) }
      page.add(rows: rows, [.left, .right, .right, .left], indentation: 2)
    } else {
      page.add(rows: rows, [.left, .right, .right, .right, .left], indentation: 2)
    }
  }

  private func row(of type: TypeGrowth) -> [String] {
    [
      type.type.shortened(to: Self.typeWidth), Count.grouped(type.growth), Count.grouped(type.live),
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

extension String {
  /// The text, cut at its end where it is longer than a column.
  fileprivate func shortened(to width: Int) -> String {
    count <= width ? self : prefix(width - 1) + "…"
  }
}
