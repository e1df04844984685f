import LiveObjectsAnalysis
import LiveObjectsReport

/// The expected message of a failing assertion for a scenario, rendered as such messages are.
struct ExpectedMessage {
  private let module: String
  /// The first line up to the number of bytes.
  private let title: String
  /// `nil` without a path.
  private let path: String?
  private let callSite: String
  /// While other threads run, an object is only probably over-retained, or a task never resumed.
  private let mayBeProbable: Bool

  /// - Parameter module: the module of the scenarios.
  init(of expected: ExpectedFinding, in module: String) {
    self.module = module
    let lines = FindingText(Finding(expected, in: module)).lines.map { $0.replacing("\(module).", with: "") }
    // `(1 object, 0 bytes)`: of the objects no number is expected.
    let isSizeKnown = expected.objects != nil || expected.instances > 1
    title = String(lines[0].dropLast((isSizeKnown ? "0 bytes)" : "1 object, 0 bytes)").count))
    let isTask = expected.verdict == "leakedTask"
    path = expected.path.isEmpty || isTask ? nil : lines[1]
    // The objects of a task have several call sites, in the expected function and in functions that it calls.
    callSite = isTask ? " \(expected.callSite) " : "  allocated at \(expected.callSite) "
    mayBeProbable = expected.mayBeHidden
  }

  /// - Parameter message: as the test library printed it, from the finding on.
  func matches(_ message: String) -> Bool {
    let lines = message.replacing("\(module).", with: "").split(separator: "\n")
    let first = lines.first.map { mayBeProbable ? $0.replacing("probably ", with: "") : $0 }
    let title = mayBeProbable ? title.replacing("probably ", with: "") : title
    return first?.hasPrefix(title) == true
      && lines.contains { $0.contains(callSite) }
      && path.map { path in lines.contains { $0.hasSuffix(path) } } ?? true
  }
}

extension Finding {
  /// The expected finding, with the modules of its names.
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

  /// `Screen`, `closure #1 in Screen.start()`: the module precedes the qualified name.
  private static func qualified(_ name: String, _ module: String) -> String {
    if ["Swift.", "Foundation.", "Dispatch.", "Observation."].contains(where: name.hasPrefix) { return name }
    let start = name.ranges(of: " in ").last?.upperBound ?? name.startIndex
    return "\(name[..<start])\(module).\(name[start...])"
  }
}
