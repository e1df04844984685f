import CaptureFixtures
import Foundation
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@testable import LiveObjectsReport

@Suite struct LargeReportTests {
  private static let environment = ProcessInfo.processInfo.environment

  @Test func everyFormatTakesTimeInProportion() {
    let builder = LargeCapture.builder(findings: 300, objects: 16)
    let report = makeReport(of: builder)
    #expect(report.findings.count == 300)
    for format in ReportFormat.allCases {
      let seconds = processorSeconds { #expect(format.bytes(of: report).count > 1000) }
      #expect(seconds < mostProcessorSeconds, "\(format)")
    }
  }

  /// Writes the capture that `scripts/bench-formats` measures the formats with.
  @Test(.enabled(if: environment["LARGE_CAPTURE"] != nil))
  func writesALargeCapture() throws {
    let path = try #require(Self.environment["LARGE_CAPTURE"])
    let program = Self.environment["LARGE_CAPTURE_PROGRAM"] ?? "/app/demo"
    let id = Array((Self.environment["LARGE_CAPTURE_BUILD_ID"] ?? "01020304").utf8)
    let bytes = stride(from: 0, to: id.count, by: 2).compactMap { index in
      UInt8(String(decoding: id[index..<min(index + 2, id.count)], as: UTF8.self), radix: 16)
    }
    let builder = LargeCapture.builder(findings: 10_000, objects: 104, image: (program, bytes))
    try Data(builder.bytes).write(to: URL(fileURLWithPath: path))
  }
}
