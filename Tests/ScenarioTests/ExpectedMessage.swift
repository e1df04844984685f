import LiveObjectsAnalysis
import LiveObjectsReport

/// What the message of a failing assertion must say of a scenario, by the renderer that makes such messages.
struct ExpectedMessage {
  private let module: String
  /// The first line as far as the number of bytes.
  private let title: String
  /// `nil` where there is no path.
  private let path: String?
  private let callSite: String
  /// Beside threads that run all the time an object is only probably over-retained.
  private let mayBeProbable: Bool

  /// - Parameter module: the one that holds the scenarios.
  init(of expected: ExpectedFinding, in module: String) {
    self.module = module
    let lines = FindingText(Finding(expected, in: module)).lines.map { $0.replacing("\(module).", with: "") }
    // `(1 object, 0 bytes)`: of the objects no number is expected.
    let isSizeKnown = expected.objects != nil || expected.instances > 1
    title = String(lines[0].dropLast((isSizeKnown ? "0 bytes)" : "1 object, 0 bytes)").count))
    path = expected.path.isEmpty ? nil : lines[1]
    callSite = "  allocated at \(expected.callSite) "
    mayBeProbable = expected.verdict == "overRetained"
  }

  /// - Parameter message: as the test library printed it, from the finding on.
  func isSaid(by message: String) -> Bool {
    let lines = message.replacing("\(module).", with: "").split(separator: "\n")
    let first = mayBeProbable ? lines.first?.trimmingPrefix("probably ") : lines.first
    return first?.hasPrefix(title) == true
      && lines.contains { $0.contains(callSite) }
      && path.map { path in lines.contains { $0.hasSuffix(path) } } ?? true
  }
}

extension Finding {
  /// The finding that is expected, its names with their modules.
  fileprivate init(_ expected: ExpectedFinding, in module: String) {
    self.init(
      fingerprint: "", verdict: Verdict(rawValue: expected.verdict)!,
      certainty: Certainty(rawValue: expected.certainty)!, type: Self.qualified(expected.type, module),
      kind: .classInstance, instances: expected.instances, objects: expected.objects ?? expected.instances,
      bytes: 0,
      path: expected.path.map { step in
        let parts = step.split(separator: " → ", omittingEmptySubsequences: false)
        return PathStep(type: Self.qualified(String(parts[0]), module), reference: String(parts[1]))
      }, unexplainedRetains: expected.unexplainedRetains)
  }

  /// `Screen`, `closure #1 in Screen.start()`: the module stands before the qualified name.
  private static func qualified(_ name: String, _ module: String) -> String {
    if ["Swift.", "Foundation.", "Dispatch."].contains(where: name.hasPrefix) { return name }
    let start = name.ranges(of: " in ").last?.upperBound ?? name.startIndex
    return "\(name[..<start])\(module).\(name[start...])"
  }
}
