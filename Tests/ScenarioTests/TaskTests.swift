import Testing

extension Scenarios {
  @Suite struct TaskTests {
    @Test(
      "a task that nothing can resume is a leak",
      arguments: ExpectedFinding.suspended + ExpectedFinding.observing)
    func leak(expected: ExpectedFinding) throws {
      let first = try ScenarioReport.shared(of: expected.scenario).leaks
      let leaks = try Repetitions.result(of: expected.scenario, first) {
        try ScenarioReport(of: expected.scenario).leaks
      }
      #expect(leaks.map { $0.observed(for: expected) } == [expected])
      if let known = try Fingerprints.all.get()[expected.scenario] {
        #expect(leaks.map(\.fingerprint) == [known])
      }
    }

    @Test("the report says where a leaked task is suspended, and what it waits for")
    func place() throws {
      #if compiler(>=6.3)
        let stream = "for a stream"
        let line = ":184. "
      #else
        let stream = "to be resumed"  // Debian's concurrency library is stripped.
        let line = ":18"  // An optimised function may have the line of its declaration only, 182.
      #endif
      let awaited = [
        "ownStream": ("closure #1 in Scenarios.Chat.start(), Tasks.swift:79. ", stream),
        "actorMethod": ("Scenarios.Gate.pass(), Tasks.swift\(line)", "for a continuation"),
      ]
      for (scenario, (place, event)) in awaited {
        let remarks = try ScenarioReport.shared(of: scenario).leaks.flatMap(\.remarks)
        let start = "The task is suspended in \(place)"
        #expect(
          remarks.contains { $0.hasPrefix(start) && $0.contains(". It waits \(event)") }, "\(remarks)")
      }
    }

    @Test("a thread that waits in a function of the program does not hide such a task")
    func waitingThread() throws {
      #expect(try ScenarioReport(of: "blockedThread").leaks.map(\.verdict) == ["leakedTask"])
    }

    @Test("whether C code can resume a task by a word in its memory is undecided")
    func wordInC() throws {
      let report = try ScenarioReport(of: "continuationInC")
      #expect(report.leaks.isEmpty, "\(report.leaks)")
      let finding = try #require(report.findings.first { $0.type == "Scenarios.Upload" })
      #expect((finding.verdict, finding.certainty) == ("leakedTask", "undecided"))
    }

    @Test(
      "a task that something can resume is no leak", arguments: ["continuationInBlock", "busyActor"])
    func resumable(scenario: String) throws {
      let report = try ScenarioReport(of: scenario)
      #expect(report.leaks.isEmpty, "\(report.leaks)")
      #expect(report.findings.contains { $0.type == "Scenarios.Upload" })
    }
  }
}
