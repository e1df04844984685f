import LiveObjectsAnalysis

/// Renders a report as collapsed stacks: `frame;frame;frame count`, outermost frame first, one line for each
/// call site. The first frame is the test or the program, the last one the type of the objects.
struct FoldedRenderer {
  func render(_ report: Report) -> String {
    let profile = CallSiteProfile(of: report)
    var counts: [String: Int] = [:]
    for sample in profile.samples where sample.objects > 0 {
      counts[stack(of: sample, in: profile.program), default: 0] += sample.objects
    }
    return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
  }

  private func stack(of sample: CallSiteProfile.Sample, in program: String) -> String {
    let calls = sample.frames.reversed().map { frame in
      let shown = ShownFrame(frame)
      return shown.location.isEmpty ? shown.function : "\(shown.function) \(shown.location)"
    }
    return ([sample.test ?? program] + calls + [sample.finding.type]).map(Self.frame).joined(separator: ";")
  }

  /// A semicolon would divide the frame, the end of a line the stack.
  private static func frame(_ name: String) -> String {
    name.printable.escaping([";": ","])
  }
}
