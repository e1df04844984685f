import TestSupport
import Testing

extension Scenarios {
  @Suite struct FindingTests {
    @Test(
      "a leak is found once, with its type, its path and its call site",
      arguments: ExpectedFinding.cycles)
    func leak(expected: ExpectedFinding) throws {
      let report = try ScenarioReport.shared(of: expected.scenario)
      let leak = try #require(report.leaks.first, "\(report.findings)")
      #expect(report.leaks.count == 1, "\(report.leaks)")
      #expect(leak.observed(for: expected) == expected, "\(leak)")
      #expect(try leak.fingerprint == Fingerprints.all.get()[expected.scenario])
    }

    @Test("a type of 200 levels is read and named")
    func nestedGenerics() throws {
      let report = try ScenarioReport(of: "nestedGenerics")
      let leak = try #require(report.leaks.first, "\(report.findings)")
      #expect(leak.verdict == "retainCycle" && leak.certainty == "definite" && leak.objects == 2)
      #expect(leak.type == "Scenarios.Deep<…>")
      #expect(leak.path.map(\.reference) == ["itself"])
    }

    @Test("a fingerprint is the same in every run")
    func fingerprint() throws {
      let runs = try (0..<2).map { _ in try ScenarioReport(of: "clientSpy") }
      #expect(Set(runs.map { $0.leaks.map(\.fingerprint) }).count == 1)
    }

    @Test(
      "a held object is found with its holder",
      arguments: ExpectedFinding.held + ExpectedFinding.heldByThreads + ExpectedFinding.growing)
    func holder(expected: ExpectedFinding) throws {
      let report = try ScenarioReport.shared(of: expected.scenario)
      #expect(report.leaks.isEmpty, "\(report.leaks)")
      let candidates = report.findings.map { $0.observed(for: expected) }
      #expect(candidates.contains(expected), "\(candidates)")
    }

    @Test("no type of the toolchain stands for a collection", arguments: ExpectedFinding.growing)
    func storage(expected: ExpectedFinding) throws {
      let report = try ScenarioReport.shared(of: expected.scenario)
      let types = report.findings.map(\.type)
      #expect(!types.contains { $0.contains("Storage<") || $0.contains("__") }, "\(types)")
      #expect(types.count { !$0.hasPrefix("Scenarios.") } == 1, "\(types)")
    }

    @Test("as many names as objects that have them are no growth of their own")
    func namedUsers() throws {
      let report = try ScenarioReport(of: "namedUsers")
      #expect(report.findings.map(\.type) == ["Scenarios.Account"])
    }
  }
}

extension JSONReport.Finding {
  /// This finding in the form of the expectation. Of the call sites only the expected one is compared, and objects
  /// only if their number is expected.
  func observed(in module: String = "Scenarios", for expected: ExpectedFinding) -> ExpectedFinding {
    /// A name without the fixture's module.
    func plain(_ name: String) -> String { name.replacing("\(module).", with: "") }
    // Optimised frames have fewer copies of what they hold.
    let isTask = verdict == "leakedTask"
    let callSites = allocatedAt.compactMap { $0.frames.first?.function.map(plain) }
    return ExpectedFinding(
      scenario: expected.scenario, verdict: verdict, type: plain(type),
      path: path.prefix(isTask ? 1 : path.count).map { "\(plain($0.type)) → \(plain($0.reference))" },
      instances: instances, objects: expected.objects.map { _ in objects }, elements: elements,
      victims: isTask ? expected.victims : victims,
      callSite: callSites.contains(expected.callSite) ? expected.callSite : callSites.joined(separator: ", "),
      certainty: isTask ? expected.certainty : certainty,
      unexplainedRetains: verdict == "overRetained" ? unexplainedRetains : 0)
  }
}
