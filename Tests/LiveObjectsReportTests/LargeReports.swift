import CaptureFixtures
import LiveObjectsAnalysis

@testable import LiveObjectsReport

/// Reports that are hard to render.
enum LargeReports {
  /// Leaks, held objects and growth in 500 tests, with call sites of 20 frames.
  static func report(findings count: Int) -> Report {
    var report = ExplainedFindings.report((0..<count).map(finding))
    report.tests = (0..<500).map { index in
      Report.Test(
        id: "DemoTests.Suite\(index % 20)/test\(index)()", testCase: nil, library: .testing, outcome: .passed,
        evaluation: .complete, findings: [])
    }
    report.types = (0..<count / 2).map(type)
    return report
  }

  private static func type(_ index: Int) -> TypeGrowth {
    let (live, bytes) = (index * 7 % 1_000 + 1, UInt64(index * 64))
    return TypeGrowth(
      type: "Demo.Type\(index)", kind: .classInstance, isUserDefined: true, live: live, growth: live,
      bytes: bytes, growthBytes: bytes)
  }

  private static func finding(_ index: Int) -> Finding {
    let base = [ExplainedFindings.cycle, ExplainedFindings.heldByStatic, ExplainedFindings.growth][index % 3]
    var finding = base
    finding.fingerprint = fingerprint(index)
    finding.type = "Demo.Type\(index / 3)"
    finding.instances = index % 97 + 1
    finding.objects = finding.instances * 2
    finding.bytes = UInt64(finding.objects * 48)
    finding.test = "DemoTests.Suite\(index % 500 % 20)/test\(index % 500)()"
    for step in finding.path.indices { finding.path[step].type += "\(index / 3)" }
    finding.allocatedAt = [site(index, finding.instances), site(index + 1, 1)]
    return finding
  }

  private static func fingerprint(_ index: Int) -> String { String(0xa000_0000 + index * 7_919, radix: 16) }

  private static func site(_ index: Int, _ instances: Int) -> Finding.CallSite {
    Finding.CallSite(
      instances: instances,
      frames: (0..<20).map { frame(index, depth: $0) })
  }

  private static func frame(_ index: Int, depth: Int) -> SourceFrame {
    let (module, line) = (index % (depth + 2), index / (20 - depth) % 50 + 1)
    return .user(
      "Module\(module).step\(19 - depth)(_:)", file: "/src/Demo/Module\(19 - depth).swift", line: line)
  }
}

/// A report whose names would act in every format, were they not escaped.
enum HostileReport {
  static let names = [
    "</script><img src=x onerror=\"document.title='run'\">",
    "\"]; n0[\"<script>document.title='run'</script>",
    "`${document.title='run'}` *b* [a](javascript:alert(1)) | </details> ```",
    "'><svg onload=document.title='run'>",
    "a\u{0}b\u{1b}[31m\u{202e}desrever\u{2028}\u{2029}\n::error::injected\r\n", "<!--<script>",
    "&lt;b&gt; \\N \\\" \\",
    "\"\u{301}]; n0[\"<script>]\u{301}(a)",
    String(repeating: "Long<é😀>", count: 200),
  ]

  static func report() -> Report {
    var report = ExplainedFindings.report(
      names.flatMap { name in ExplainedFindings.all.map { named(name, $0) } })
    report.tests = names.map {
      Report.Test(
        id: $0, testCase: $0, library: .xctest, outcome: .passed, evaluation: .complete, findings: [])
    }
    report.types = names.map {
      TypeGrowth(type: $0, kind: .classInstance, isUserDefined: true, live: 1, growth: 1, bytes: 1)
    }
    report.tracking.notes += names
    report.run.command = ["liveobjects"] + names
    return report
  }

  private static func named(_ name: String, _ base: Finding) -> Finding {
    var finding = base
    finding.fingerprint += name
    (finding.type, finding.test, finding.testCase) = (name, name, name)
    finding.path = [.init(type: name, reference: name), .init(type: name + "2", reference: name)]
    finding.remarks = [name]
    let frame = SourceFrame.user(name, module: name, file: "/\(name)/\(name)", line: 1)
    finding.allocatedAt = [.init(instances: 1, frames: [frame])]
    finding.retainedAt = [.init(retains: 2, releases: 1, frames: [frame])]
    finding.hint = Finding.Hint(
      .declareWeak, at: [.init(kind: .property, name: "\(name).\(name)", file: "/\(name)", line: 2)])
    return finding
  }
}
