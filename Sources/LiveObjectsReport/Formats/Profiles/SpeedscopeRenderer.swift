import LiveObjectsAnalysis

/// Renders a report as a file for https://www.speedscope.app, with one profile of objects and one of bytes.
struct SpeedscopeRenderer {
  /// The key of equal frames.
  private struct Frame: Hashable {
    var name: String
    var file: String?
    var line: Int?
  }

  func render(_ report: Report) -> String {
    let profile = CallSiteProfile(of: report)
    var frames = Numbering<Frame>()
    let stacks = profile.samples.map { sample in
      let calls = sample.frames.reversed().map { frame in
        Frame(name: frame.profileName, file: frame.file.map(report.run.relative), line: frame.line)
      }
      return
        ([Frame(name: (sample.test ?? profile.program).printable)] + calls
        + [Frame(name: sample.finding.type.printable)]).map { frames.number(of: $0) }
    }
    let remark = profile.isEstimated ? " (estimated)" : ""
    let document: JSONValue = .object([
      "$schema": .string("https://www.speedscope.app/file-format-schema.json"),
      "shared": .object(["frames": .array(frames.keys.lazy.map(json))]),
      "profiles": .array([
        self.profile(
          "live objects\(remark)", unit: "none", stacks, profile.samples.map { UInt64(clamping: $0.objects) }),
        self.profile("live bytes\(remark)", unit: "bytes", stacks, profile.samples.map(\.bytes)),
      ]),
      "name": .string(profile.program),
      "activeProfileIndex": .integer(0),
      "exporter": .string("LiveObjects \(Report.Run.toolVersion)"),
    ])
    return document.text
  }

  private func profile(_ name: String, unit: String, _ stacks: [[Int]], _ weights: [UInt64]) -> JSONValue {
    .object([
      "type": .string("sampled"),
      "name": .string(name),
      "unit": .string(unit),
      "startValue": .integer(0),
      "endValue": .integer(weights.reduce(into: UInt64(0)) { $0.add(saturating: $1) }),
      "samples": .array(stacks.lazy.map { .array($0.map(JSONValue.integer)) }),
      "weights": .array(weights.map(JSONValue.integer)),
    ])
  }

  private func json(_ frame: Frame) -> JSONValue {
    .object([
      "name": .string(frame.name),
      "file": frame.file.map(JSONValue.string) ?? .absent,
      "line": frame.line.map(JSONValue.integer) ?? .absent,
    ])
  }
}
