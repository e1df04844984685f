import LiveObjectsAnalysis
import LiveObjectsCapture

/// The live objects and bytes of a report's findings, by the calls that allocated them.
///
/// The sums over all samples are the sums over all findings, unless those of call sites are estimates.
struct CallSiteProfile {
  /// Objects of one finding with one call site.
  struct Sample {
    /// The finding that the objects are part of.
    let finding: Finding
    /// The frames of the program's own code, innermost first; all frames where there are none.
    let frames: [SourceFrame]
    let objects: Int
    let bytes: UInt64
  }

  let samples: [Sample]
  /// The program that the report is about.
  let program: String
  /// Whether some numbers are estimates.
  let isEstimated: Bool

  init(of report: Report) {
    samples = report.findings.flatMap(Self.samples)
    isEstimated = report.findings.contains { $0.allocatedAt.contains(where: \.isEstimated) }
    let names = Set(report.processes.map(\.name))
    program = (names.count == 1 ? names.first : nil) ?? "programs"
  }

  private static func samples(of finding: Finding) -> [Sample] {
    let listed = finding.allocatedAt.map { site in
      Sample(
        finding: finding, frames: Self.frames(of: site.frames), objects: site.instances, bytes: site.bytes)
    }
    let rest = Sample(
      finding: finding, frames: [.otherCalls],
      objects: max(0, finding.objects - listed.reduce(0) { $0 + $1.objects }),
      bytes: listed.reduce(finding.ownBytes) { $0 - min($0, $1.bytes) })
    return listed + (rest.objects > 0 || rest.bytes > 0 ? [rest] : [])
  }

  private static func frames(of trace: [SourceFrame]) -> [SourceFrame] {
    let own = trace.filter(\.isOwn)
    return own.isEmpty ? trace : own
  }
}

extension CallSiteProfile.Sample {
  /// `DemoTests.LoaderTests/testLoad`, `DemoTests.load(count:) (3)`; `nil` for unattributed objects.
  var test: String? { TestName(of: finding)?.description }
}

extension SourceFrame {
  /// Stands for the calls that a finding does not list: those of victims, those without a stack trace, and
  /// those with the fewest objects.
  fileprivate static let otherCalls = SourceFrame(
    function: "(calls that are not listed)", module: "", file: nil, line: nil, isSystem: false)

  /// The function, or the library where no symbol is known.
  var profileName: String { (function ?? "(no symbol) in \(module)").printable }
}
