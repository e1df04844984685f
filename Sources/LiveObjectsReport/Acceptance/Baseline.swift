import LiveObjectsAnalysis

/// Findings that fail nothing because they were there when the baseline was written.
///
/// A text file with a line for each finding, sorted, for review: fingerprint, test, type and path, with tabs
/// between them. Lines that begin with `#` are comments. The first two fields decide what is known; `*` as the test
/// stands for every test, `-` for objects that belong to no test. The third one only helps a line to stay.
package struct Baseline: Sendable, Equatable {
  /// One line.
  package struct Entry: Sendable, Hashable {
    package var fingerprint: String
    /// A test as `swift test list` spells it; `-` for none, `*` for every test.
    package var test: String
    /// Certainty, verdict and type in one, and the path.
    package var description: [String] = []
  }

  /// The name of the file in a package's folder that is used without an option.
  package static let defaultFile = ".liveobjects-baseline"
  static let everyTest = "*"
  static let noTest = "-"

  package private(set) var entries: [Entry] = []
  private var keys: Set<Key> = []

  fileprivate struct Key: Hashable {
    var fingerprint: String
    var test: String
  }

  package init(_ entries: [Entry] = []) {
    for entry in entries where keys.insert(Key(entry)).inserted { self.entries.append(entry) }
  }

  /// - Throws: the first line that is none of a baseline.
  package init(parsing bytes: [UInt8]) throws(LineError) {
    var entries: [Entry] = []
    for (number, line) in NumberedLines(bytes).lines {
      guard let entry = Entry(line) else {
        throw LineError(
          line: number, expectation: "a fingerprint of 16 hexadecimal digits, a tab, and a test")
      }
      entries.append(entry)
    }
    self.init(entries)
  }

  /// Whether an entry is about a finding.
  func contains(_ finding: Finding) -> Bool {
    ([finding.fingerprint] + finding.otherFingerprints).contains { fingerprint in
      [Self.field(of: finding.test), Self.everyTest].contains {
        keys.contains(Key(fingerprint: fingerprint, test: $0))
      }
    }
  }

  /// The field of a test, whose name might otherwise end the line.
  fileprivate static func field(of test: String?) -> String { test?.printable ?? noTest }
}

extension Baseline.Key {
  fileprivate init(_ entry: Baseline.Entry) { self.init(fingerprint: entry.fingerprint, test: entry.test) }
}

// MARK: - As text

extension Baseline {
  private static let header = """
    # Findings that LiveObjects reports as known: they fail nothing. One per line: fingerprint, test, type, path.
    # `liveobjects baseline` writes this file; without its line, a finding fails again.

    """

  /// The file, sorted by test, type and fingerprint.
  package var text: String {
    Self.header + entries.sorted().map { "\($0.line)\n" }.joined()
  }

  /// The baseline of all findings of a report that fail, or would without being accepted by a baseline.
  package init(of report: Report, failOn: FailOn) {
    let findings = (report.findings + report.released).filter { finding in
      var finding = finding
      if finding.acceptance == .baseline { finding.acceptance = nil }
      return failOn.includes(finding)
    }
    self.init(findings.map(Entry.init))
  }
}

extension Baseline.Entry: Comparable {
  private static let longestField = 400
  private static let probable = "probable "

  package static func < (a: Self, b: Self) -> Bool { a.order.lexicographicallyPrecedes(b.order) }

  private var order: [String] { [test] + description + [fingerprint] }

  /// - Returns: `nil` for a malformed line.
  init?(_ line: Substring) {
    let fields = line.split(separator: "\t").map(String.init)
    guard fields.count >= 2, fields[0].isFingerprint else { return nil }
    self.init(fingerprint: fields[0], test: fields[1], description: Array(fields[2...]))
  }

  package init(_ finding: Finding) {
    let path = finding.path.map { [$0.type, $0.reference].filter { !$0.isEmpty }.joined(separator: ".") }
    let certainty = finding.certainty == .probable ? Self.probable : ""
    self.init(
      fingerprint: finding.fingerprint, test: Baseline.field(of: finding.test),
      description: [
        "\(certainty)\(finding.verdict.rawValue) \(finding.type)", path.joined(separator: " → "),
      ].filter { !$0.isEmpty }.map { $0.shortened(to: Self.longestField).printable })
  }

  /// Whether the finding was probable when the line was written.
  fileprivate var isProbable: Bool { description.first?.hasPrefix(Self.probable) == true }

  /// The type in the line.
  var type: Substring? {
    description.first?.dropFirst(isProbable ? Self.probable.count : 0).drop { $0 != " " }
  }

  /// The line of the file.
  package var line: String { ([fingerprint, test] + description).joined(separator: "\t") }
}

// MARK: - Stale entries

extension Baseline {
  /// The entries whose findings no longer occur.
  ///
  /// An entry is stale if its test ran and was evaluated: an absent test may be disabled here. If all tests of
  /// the package ran, so are entries that belong to every test or to none. In doubt an entry stays: without it the next
  /// run would fail. So it does if the finding was probable, which it may be again, or if the test left objects of the
  /// type behind that no entry is about: one run may see a leak where another sees a holder.
  ///
  /// - Parameter ranAllTests: whether no test was left out by an option.
  package func stale(in report: Report, ranAllTests: Bool) -> [Entry] {
    let tests = Dictionary(grouping: report.tests) { Self.field(of: $0.id) }
    let sawAll = ranAllTests && report.tracking.sawEverything && report.unevaluatedTests.isEmpty
    let remains = remaining(in: report.findings + report.released)
    return entries.filter { entry in
      guard !entry.isProbable, !remains(entry) else { return false }
      return tests[entry.test].map { $0.allSatisfy { $0.evaluation == .complete } }
        ?? ([Self.noTest, Self.everyTest].contains(entry.test) && sawAll)
    }
  }

  /// Whether the finding of an entry is there, or one that may be it under another verdict.
  private func remaining(in findings: [Finding]) -> (Entry) -> Bool {
    var (present, types): (Set<[Substring]>, Set<[Substring]>) = ([], [])
    for finding in findings {
      let tests = [Self.field(of: finding.test)[...], Self.everyTest[...]]
      for fingerprint in [finding.fingerprint] + finding.otherFingerprints {
        for test in tests { present.insert([fingerprint[...], test]) }
      }
      guard !contains(finding), let type = Entry(finding).type else { continue }
      for test in tests { types.insert([type, test]) }
    }
    return { entry in
      present.contains([entry.fingerprint[...], entry.test[...]])
        || entry.type.map { types.contains([$0, entry.test[...]]) } ?? false
    }
  }

  /// The baseline with the entries of another one.
  package func adding(_ other: Baseline) -> Baseline { Baseline(other.entries + entries) }

  /// The baseline without some of its entries.
  package func removing(_ stale: [Entry]) -> Baseline {
    let stale = Set(stale)
    return Baseline(entries.filter { !stale.contains($0) })
  }
}
