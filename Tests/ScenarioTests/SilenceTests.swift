import Testing

extension Scenarios {
  @Suite struct SilenceTests {
    static let silent = [
      "nothing", "weakBackReference", "unownedBackReference", "weakCapture", "unownedCapture",
      "brokenByHand", "diamond", "keyPaths", "metatypes", "mirrors", "bridging", "lazyMachinery",
      "balancedRetains", "finishedTask", "cancelledTask", "cancelledSource", "releasedSource",
      "finishedLaterWork",
      "leftGroup", "performedItem", "removedQueueValue", "closedChannel", "openMemory", "invalidatedTimer",
      "removedObserver", "removedReadabilityHandler", "freedStrings",
      "removedStrings", "smallText", "observedWeakly",
    ]

    @Test("a scenario without survivors has no findings", arguments: silent)
    func silence(scenario: String) throws {
      let report = try ScenarioReport(of: scenario)
      #expect(report.tracking.complete, "\(report.tracking.notes)")
      #expect(report.findings.filter { !$0.libraryLeak }.isEmpty, "\(report.findings)")
    }

    @Test("a weak reference keeps its side table, and no object")
    func sideTable() throws {
      let report = try ScenarioReport(of: "sideTable")
      #expect(report.findings.map(\.type) == ["Scenarios.WeakBox"])
      #expect(report.leaks.isEmpty)
    }
  }
}
