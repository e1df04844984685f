import LiveObjectsAnalysis

/// The data of a page's tables and flame graph, as JSON in which equal strings, frames and stack traces are written once.
///
/// `HTMLScript` reads the rows by position, in the order of this file.
struct HTMLData {
  private static let longestString = 1_000

  private(set) var json = ""
  private var strings = Numbers<String>(from: 0)
  private var frames = Numbers<[Int]>(from: 0)
  private var traces = Numbers<[Int]>(from: 0)

  init(_ report: Report, _ causes: [Cause]) {
    let failOn = report.run.failOn
    let findings = causes.enumerated().flatMap { index, cause in cause.findings.map { ($0, index) } }
    let rows = [
      ("causes", causes.enumerated().map { row($1, number: $0, failOn) }),
      ("findings", findings.map { row($0, cause: $1, report.run) }),
      ("types", report.types.map { row($0) }),
      ("tests", rowsOfTests(report, causes)),
    ]
    json = "{"
    for (name, rows) in rows { json += "\"\(name)\":[\(rows.joined(separator: ",\n"))],\n" }
    json += "\"frames\":\(Self.array(frames.all.map(Self.array))),\n"
    json += "\"traces\":\(Self.array(traces.all.map(Self.array))),\n"
    json += "\"sections\":\(Self.array(FindingSection.allCases.map { Self.quoted($0.name) })),\n"
    json += "\"kinds\":\(Self.array(FindingSection.allCases.map { Self.quoted($0.kind) })),\n"
    json += "\"strings\":\(Self.array(strings.all.map(Self.quoted)))}"
  }
}

// MARK: - Rows

extension HTMLData {
  /// Section, name, instances, objects, bytes, findings, tests, whether it fails, number of its article or 0.
  private mutating func row(_ cause: Cause, number: Int, _ failOn: FailOn?) -> String {
    let fails = failOn.map(cause.fails) ?? false
    let article = cause.section == .leaks && number < HTMLLeaks.listedCauses ? number + 1 : 0
    return Self.array([
      section(cause.section), strings.number(of: cause.name), cause.instances, cause.objects,
      Int(clamping: cause.bytes),
      cause.findings.count, cause.tests.count, fails ? 1 : 0, article,
    ])
  }

  /// Section, title, test or -1, instances, objects, bytes, fingerprint, cause, path or -1, hint or -1, call sites,
  /// call sites that are left out, retaining call sites. A call site: number, trace, whether it is estimated.
  private mutating func row(_ finding: Finding, cause: Int, _ run: Report.Run) -> String {
    let path = ShownPath(of: finding).map { strings.number(of: $0.segments.joined(separator: " → ")) }
    let plain = [
      section(FindingSection(of: finding)), strings.number(of: finding.title),
      TestName(of: finding).map { strings.number(of: $0.description) } ?? -1, finding.instances,
      finding.objects,
      Int(clamping: finding.bytes), strings.number(of: finding.fingerprint), cause, path ?? -1,
      finding.hint.map { strings.number(of: HintText($0).text) } ?? -1,
    ]
    let allocated = finding.allocatedAt.map {
      Self.array([$0.instances, trace($0.frames, run), $0.isEstimated ? 1 : 0])
    }
    let retained = finding.retainedAt.map { Self.array([$0.unmatched, trace($0.frames, run)]) }
    return Self.array(
      plain.map(String.init)
        + [Self.array(allocated), String(finding.omittedCallSites), Self.array(retained)])
  }

  /// Type, kind, live objects, growth, bytes, bytes of the growth, dependency or -1.
  private mutating func row(_ type: TypeGrowth) -> String {
    Self.array([
      strings.number(of: type.type), strings.number(of: type.kind.rawValue), type.live, type.growth,
      Int(clamping: type.bytes),
      Int(clamping: type.growthBytes), type.dependency.map { strings.number(of: $0) } ?? -1,
    ])
  }

  /// Name, library, outcome, whether it was evaluated, then its causes in each section.
  private mutating func rowsOfTests(_ report: Report, _ causes: [Cause]) -> [String] {
    var counts: [TestName: [Int]] = [:]
    for cause in causes {
      for test in cause.tests {
        counts[test, default: FindingSection.allCases.map { _ in 0 }][section(cause.section)] += 1
      }
    }
    return report.concludedTests.map { test in
      let name = TestName(test)
      return Self.array(
        [
          strings.number(of: name.description),
          strings.number(of: test.library == .xctest ? "XCTest" : "Swift Testing"),
          strings.number(of: "\(test.outcome)"), test.evaluation == .complete ? 1 : 0,
        ] + (counts[name] ?? FindingSection.allCases.map { _ in 0 }))
    }
  }

  private func section(_ section: FindingSection) -> Int { FindingSection.allCases.firstIndex(of: section)! }

  /// Function, place and whether it is a written line of the program, of each frame.
  private mutating func trace(_ trace: [SourceFrame], _ run: Report.Run) -> Int {
    let numbers = trace.map { frame in
      let place = frame.file.map { run.relative($0) + (frame.line.map { ":\($0)" } ?? "") } ?? frame.module
      let isOwn = frame.isUserCode && !frame.isCompilerGenerated
      let function = strings.number(of: frame.function ?? "(no symbol)")
      return frames.number(of: [function, strings.number(of: place), isOwn ? 1 : 0])
    }
    return traces.number(of: numbers)
  }
}

// MARK: - JSON

extension HTMLData {
  private static func array(_ values: [Int]) -> String { array(values.map(String.init)) }

  private static func array(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

  /// A string in which nothing can end the script element or a line of JavaScript.
  private static func quoted(_ string: String) -> String {
    var writer = JSONWriter()
    writer.write(string.printable.abridged(to: longestString))
    let json = String(decoding: writer.bytes, as: UTF8.self)
    guard json.utf8.contains(where: { [0x26, 0x3c, 0x3e].contains($0) }) else { return json }
    return json.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "\\u0026"
      case "<": text += "\\u003c"
      case ">": text += "\\u003e"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
