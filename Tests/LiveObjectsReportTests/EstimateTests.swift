import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

/// Estimated numbers of call sites are marked in every format that can.
@Suite struct EstimateTests {
  /// Growth of 40 objects, of which 30 and 10 by two calls according to the sample.
  private static var finding: Finding {
    var finding = Finding(
      fingerprint: "0123456789abcdef", verdict: .growth, type: "Demo.Loader", kind: .classInstance,
      instances: 41,
      objects: 41,
      bytes: 1312)
    finding.allocatedAt = [("makeLoader()", 30), ("makeClient()", 1_210)].map { function, instances in
      var site = Finding.CallSite(instances: instances, bytes: 960, frames: [.user(function)])
      site.isEstimated = true
      return site
    }
    return finding
  }

  private static let report = ExplainedFindings.report([finding])

  private func render(_ format: ReportFormat) -> String {
    String(decoding: format.bytes(of: Self.report), as: UTF8.self)
  }

  @Test func textHasASign() {
    #expect(FindingText(Self.finding).description.contains("makeLoader() Loader.swift:1 (≈ 30 ×)"))
    let text = TextRenderer(listing: [.growth]).render(Self.report)
    #expect(text.contains("≈ 1,210 ×  makeClient()") && text.contains("≈ 30 ×  makeLoader()"))
    #expect(text.contains("41 instances") && !text.contains("≈ 41"))
  }

  @Test func exactNumbersHaveNone() {
    var finding = Self.finding
    for index in finding.allocatedAt.indices { finding.allocatedAt[index].isEstimated = false }
    #expect(FindingText(finding).description.contains("makeLoader() Loader.swift:1 (30 ×)"))
    #expect(!JSONRenderer().render(ExplainedFindings.report([finding])).contains("estimated"))
  }

  @Test func jsonHasAKeyThatIsRead() throws {
    let json = JSONRenderer().render(Self.report)
    #expect(json.contains("\"estimated\": true"))
    let again = try JSONReportReader.report(in: Array(json.utf8))
    #expect(again.findings == [Self.finding])
  }

  @Test(arguments: [ReportFormat.speedscope, .pprof, .html])
  func profilesAndThePageSaySo(format: ReportFormat) {
    let text = render(format)
    #expect(text.contains(format == .html ? "≈ " : "estimate"))
  }

  @Test func mergedNumbersAreEstimatesIfSomeAre() {
    var exact = Self.finding
    exact.allocatedAt[0].isEstimated = false
    let merged = Finding.merged([exact, Self.finding], by: Finding.Key.init)
    #expect(merged.flatMap(\.allocatedAt).map(\.isEstimated) == [true, true])
  }

  @Test func theNoteHasTheRateAndTheError() {
    var builder = CaptureBuilder()
    builder.sample(every: 512 << 10)
    #expect(
      makeReport(of: builder).tracking.notes == [
        "Stack traces are a sample, one for 512.0 KB allocated on average: numbers of call sites (≈) are estimates, "
          + "off by about 10 % for 50.0 MB and 30 % for 5.0 MB, and all others are exact."
      ])
  }
}
