import TestSupport
import Testing

extension Scenarios {
  /// The scenarios, built with `-disable-reflection-metadata`: properties have neither names nor types.
  @Suite struct NoReflectionTests {
    @Test("without reflection metadata a cycle is probable, its types are named, and the report says why")
    func cycles() throws {
      let folder = try TemporaryFolder()
      let program = folder.path("Scenarios")
      try Compiler.compile(
        Compiler.sources(of: "Scenarios"),
        ["-swift-version", "6", "-module-name", "Scenarios", "-Xfrontend", "-disable-reflection-metadata"]
          + ["-Xlinker", "--allow-shlib-undefined"],  // as Package.swift
        to: program)
      for scenario in ["twoObjects", "array", "selfHandler", "enumMulti", "inheritedProperty"] {
        let report = try ScenarioReport(of: scenario, program: program)
        let leak = try #require(report.leaks.first, "\(scenario): \(report.findings)")
        #expect(leak.verdict == "retainCycle" && leak.certainty == "probable", "\(scenario): \(leak)")
        #expect(leak.type.hasPrefix("Scenarios."), "\(scenario): \(leak)")
        #expect(report.tracking.details.contains { $0.contains("metadata") }, "\(report.tracking)")
      }
      let silent = try ScenarioReport(of: "weakBackReference", program: program)
      #expect(silent.leaks.isEmpty, "\(silent.leaks)")
    }
  }
}
