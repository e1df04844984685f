import LiveObjectsAnalysis

extension TextPage {
  private static let listedCauses = 25
  private static let listedCallSites = 3
  private static let listedCallers = 2
  private static let listedRetainingFrames = 3
  private static let leastFunctionWidth = 24

  /// Adds the causes of a section. Leaks have no heading: they are what a report is about.
  ///
  /// - Parameter number: of the last cause that was added.
  mutating func add(
    _ section: FindingSection, _ causes: [Cause], of report: Report, numberedFrom number: inout Int
  ) {
    let own = causes.filter { !$0.isInternal }
    if section != .leaks {
      add()
      add(section.heading + (report.run.failOn.map(section.failing) ?? "") + ".", style: .bold)
    }
    for cause in own.prefix(Self.listedCauses) {
      add()
      number += 1
      add(titleOf: cause, number: number)
      add(detailsOf: cause, of: report)
    }
    add(omitted: own.dropFirst(Self.listedCauses))
    add(dependencies: causes.filter(\.isInternal))
  }

  /// Adds the numbered names of causes, and what ends them.
  mutating func add(namesOf causes: [Cause]) {
    for (index, cause) in causes.prefix(Self.listedCauses).enumerated() {
      add("\(index + 1). \(cause.name)  \(Count.bytes(cause.bytes))\(Self.shortPlace(of: cause))")
      add(hint: cause.sum.hint)
    }
    add(omitted: causes.dropFirst(Self.listedCauses))
  }

  private mutating func add(hint: Finding.Hint?) {
    if let hint { add(words: "fix: \(HintText(hint).text)", indentation: 3, style: .green) }
  }

  /// `  in 3 tests`
  private static func shortPlace(of cause: Cause) -> String {
    cause.tests.isEmpty ? "" : "  in \(Count.of(cause.tests.count, "test", "tests"))"
  }

  private mutating func add(omitted causes: some Collection<Cause>) {
    guard !causes.isEmpty else { return }
    let instances = causes.reduce(0) { $0 + $1.instances }
    add()
    add(
      "… and \(Count.grouped(causes.count)) more with \(Count.of(instances, "instance", "instances")); "
        + "the JSON report lists them all")
  }

  /// `swift-nio: 37 instances of 12 types, none of your code; the JSON report lists them`
  private mutating func add(dependencies causes: [Cause]) {
    let byPackage = Dictionary(grouping: causes) { $0.dependency ?? "" }.sorted { $0.key < $1.key }
    if !byPackage.isEmpty { add() }
    for (package, causes) in byPackage {
      let instances = Count.of(causes.reduce(0) { $0 + $1.instances }, "instance", "instances")
      let types = Count.of(Set(causes.map(\.sum.type)).count, "type", "types")
      add("  \(package): \(instances) of \(types), none of your code; the JSON report lists them")
    }
  }

  private mutating func add(titleOf cause: Cause, number: Int) {
    let fingerprint = cause.fingerprints.count == cause.variants.count ? cause.sum.fingerprint : nil
    add(title: "\(number). \(cause.name)", cause.sum.size, fingerprint, indentation: 0)
  }

  private mutating func add(title: String, _ size: String, _ fingerprint: String?, indentation: Int) {
    let name = title.shorteningArguments(to: width - indentation)
    let parts = [name, size] + (fingerprint.map { ["[fingerprint \($0)]"] } ?? [])
    add(parts: parts, separator: "  ", indentation: indentation, style: .bold)
  }

  private mutating func add(detailsOf cause: Cause, of report: Report) {
    add(explanationOf: cause.sum)
    for variant in cause.listedVariants {
      add(title: "and likewise: \(variant.title)", variant.size, variant.fingerprint, indentation: 3)
      add(explanationOf: variant)
    }
    if let rest = cause.unlistedVariants { add(words: "and likewise \(rest)", indentation: 3) }
    add(allocatedAt: cause)
    add(retainedAt: cause.retainedAt)
    add(tests: cause, of: report)
    if cause.wantsRetains {
      add(
        words: report.run.failOn == nil
          ? "LiveObjects.start(.init(retains: .all)) before the objects are made shows the calls that retain them."
          : "`--explain-retains`, or LIVEOBJECTS_OPTIONS=retains=all, shows the calls that retain them.",
        indentation: 3)
    }
    for remark in cause.remarks { add(words: "note: \(remark)", indentation: 3) }
    if cause.fingerprints.count > cause.variants.count { add(fingerprints: cause.fingerprints) }
  }

  /// Adds the fingerprints of growth that has one for each allocating function.
  private mutating func add(fingerprints: [String]) {
    let listed = fingerprints.prefix(Self.listedCallSites).map { "[\($0)]" }
    let rest = fingerprints.count - listed.count
    let more = rest > 0 ? ["and \(Count.grouped(rest)) more"] : []
    add(parts: ["fingerprints"] + listed + more, separator: " ", indentation: 3)
  }

  /// Adds the path and how to cut it; growth has none.
  private mutating func add(explanationOf finding: Finding) {
    if let path = ShownPath(of: finding) {
      add(parts: path.segments, separator: " → ", indentation: 3)
    }
    if let other = ShownPath(ofOtherCycleIn: finding) {
      add(
        parts: ["second cycle: \(other.segments[0])"] + other.segments.dropFirst(), separator: " → ",
        indentation: 3)
    }
    add(hint: finding.hint)
  }
}

// MARK: - Tests

extension TextPage {
  private static let listedTests = 3

  /// `tests: DemoTests.LoaderTests/testLoad, DemoTests.LoaderTests/testSave and 45 more tests`
  private mutating func add(tests cause: Cause, of report: Report) {
    guard !cause.tests.isEmpty else { return }
    var names = cause.tests.prefix(Self.listedTests).map(\.description)
    let rest = cause.tests.count - names.count
    if rest > 0 { names.append(Count.of(rest, "more test", "more tests")) }
    let last = names.count > 1 ? " and " + names.removeLast() : ""
    let others = cause.hasUnattributed ? "; also outside of tests" : ""
    let known = report.testsThatKnow(cause)
    let knownText = known > 0 ? "; known in \(Count.of(known, "other test", "other tests"))" : ""
    add(words: "tests: " + names.joined(separator: ", ") + last + others + knownText, indentation: 3)
  }
}

// MARK: - Call sites

extension TextPage {
  private mutating func add(allocatedAt cause: Cause) {
    let callSites = cause.callSites
    guard !callSites.isEmpty else { return }
    add("   allocated at")
    let listed = callSites.prefix(Self.listedCallSites)
    add(calls: listed.flatMap(rows))
    add(moreThan: listed.count, of: callSites.count + cause.omittedCallSites)
    if let victims = cause.victimPhrase { add(words: victims, indentation: 5) }
  }

  private mutating func add(retainedAt sites: [Finding.RetainingCallSite]) {
    guard !sites.isEmpty else { return }
    add("   retained at")
    let listed = sites.prefix(Self.listedCallSites)
    add(calls: listed.flatMap(rows))
    add(moreThan: listed.count, of: sites.count)
  }

  private mutating func add(moreThan listed: Int, of all: Int) {
    Count.more(than: listed, of: all, "call site", "call sites").map { add("     … \($0)") }
  }

  /// The call site with its count, the types of its objects in a row of their own, then who called it.
  private func rows(of site: CallSiteGroup) -> [[String]] {
    let calls = rows(of: site.frames.map { ($0.function, $0.location, "") } + callers(of: site))
    if site.types.isEmpty { return calls.enumerated().map { [$0 == 0 ? site.times : ""] + $1 } }
    return [[site.times, site.shownTypes, "", ""]] + calls.map { ["", "  " + $0[0]] + $0[1...] }
  }

  private func callers(of site: CallSiteGroup) -> [(String, String, String)] {
    let callers = site.callers.prefix(Self.listedCallers).map { caller in
      ("  from \(caller.frame.function)", caller.frame.location, "(\(site.times(caller.instances)))")
    }
    let more = Count.more(than: callers.count, of: site.callers.count, "caller", "callers")
    return callers + (more.map { [("  … \($0)", "", "")] } ?? [])
  }

  private func rows(of calls: [(function: String, place: String, remark: String)]) -> [[String]] {
    calls.map { [$0.function, $0.place, $0.remark] }
  }

  private func rows(of site: Finding.RetainingCallSite) -> [[String]] {
    let frames = site.frames.isEmpty ? [.unknown] : ShownFrame.frames(of: site.frames)
    let counts =
      "(\(Count.of(site.retains, "retain", "retains")), \(Count.of(site.releases, "release", "releases")))"
    return frames.prefix(Self.listedRetainingFrames).enumerated().map { index, frame in
      let (count, remark) = index == 0 ? ("+\(Count.grouped(site.unmatched))", counts) : ("", "")
      return [count, frame.function, frame.location, remark]
    }
  }

  /// Adds rows of a count, a function, its place and a remark; of long functions the beginning and the end.
  private mutating func add(calls rows: [[String]]) {
    let indentation = 5
    let others = [0, 2, 3].compactMap { column in rows.lazy.map { $0[column].count }.max() }.filter { $0 > 0 }
    let room = width - indentation - others.reduce(0) { $0 + $1 + 2 }
    let shown = rows.map { [$0[0], $0[1].abridged(to: max(room, Self.leastFunctionWidth))] + $0[2...] }
    add(rows: shown, [.right, .left, .left, .left], indentation: indentation)
  }
}
