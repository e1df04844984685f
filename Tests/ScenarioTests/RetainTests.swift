import TestSupport
import Testing

extension Scenarios {
  @Suite struct RetainTests {
    @Test("an object with more retains than references is found", arguments: ExpectedFinding.overRetained)
    func found(expected: ExpectedFinding) throws {
      let report = try ScenarioReport.shared(of: expected.scenario)
      let leak = try #require(report.leaks.first, "\(report.findings)")
      #expect(report.leaks.count == 1, "\(report.leaks)")
      #expect(leak.observed(for: expected) == expected, "\(leak)")
    }

    @Test("the ledger names the call that retained")
    func retainingCallSite() throws {
      let report = try ScenarioReport(of: "passRetained", options: "retains=Scenarios.Handle")
      let sites = try #require(report.leaks.first?.retainedAt, "\(report.findings)")
      let site = try #require(sites.first { $0.frames.first?.function == "Handle.giveAway()" }, "\(sites)")
      #expect(site.retains - site.releases == 1)
    }

    /// A stale pointer of optimised code may hide one of the six.
    @Test(
      "an object that finished work did not release is over-retained",
      .disabled(if: BuiltProducts.areFixturesOptimized))
    func finishedWork() throws {
      let expected = ExpectedFinding.overRetained(
        "finishedWork", "Parcel", instances: 6, unexplainedRetains: 6)
      let leaks = try ScenarioReport(of: "finishedWork").leaks
      #expect(leaks.map { $0.observed(for: expected) } == [expected])
    }

    /// A capture that begins while the manager runs does not show it.
    @Test("an over-retained object is found while libdispatch's manager handles timers")
    func busyManager() throws {
      let first = try ScenarioReport.shared(of: "busyManager").leaks
      let leaks = try Repetitions.result(of: "busyManager", first) {
        try ScenarioReport(of: "busyManager").leaks
      }
      #expect(leaks.map(\.verdict) == ["overRetained"])
    }

    /// A stale word of a call may lead to the last ones.
    @Test(
      "memory to which no pointer is left is lost, with what only it holds",
      arguments: zip(["lostBuffers", "lostTypedBuffers"], ["plantBuffer()", "plantTypedBuffer()"]))
    func lostBuffers(scenario: String, function: String) throws {
      let leaks = try ScenarioReport(of: scenario).leaks
      #expect(leaks.map(\.verdict) == ["lostBuffer"])
      let leak = try #require(leaks.first)
      #expect((27...30).contains(leak.instances) && leak.victims == leak.instances, "\(leak)")
      #expect(leak.allocatedAt.first?.frames.first?.function == function)
    }

    /// The stack may have a stale word for some of them, and so hold all.
    @Test("memory that leads to itself only is lost")
    func lostRing() throws {
      let first = try ScenarioReport(of: "lostRing").leaks
      let leaks = try Repetitions.result(of: "lostRing", first) { try ScenarioReport(of: "lostRing").leaks }
      #expect(leaks.map(\.verdict) == ["lostBuffer"])
      #expect(leaks.map(\.instances) == [30])
    }

    @Test(
      "memory with a pointer into it is not lost",
      arguments: ["pointerIntoBuffer", "pointerBetweenHandles", "taggedPointerToBuffer", "ringOfBuffers"])
    func pointersIntoBuffers(scenario: String) throws {
      let report = try ScenarioReport(of: scenario)
      #expect(report.leaks.isEmpty, "\(report.leaks)")
    }

    @Test(
      "an object that the kernel has a pointer to is not over-retained",
      arguments: ["epollEvent", "timerValue", "wordInPipe"])
    func inKernel(scenario: String) throws {
      let report = try ScenarioReport(of: scenario)
      #expect(report.findings.map(\.type) == ["Scenarios.Handle"])
      #expect(report.leaks.isEmpty, "\(report.leaks)")
    }

    @Test(
      "an object that the kernel may have a pointer to is a probable leak, and the report says so",
      arguments: ["wordInSocket", "wordInSignal"])
    func maybeInKernel(scenario: String) throws {
      let report = try ScenarioReport(of: scenario)
      #expect(report.leaks.map(\.certainty) == ["probable"], "\(report.leaks)")
      #expect(report.tracking.notes.contains { $0.contains("the kernel keeps") }, "\(report.tracking.notes)")
    }

    @Test("an object that a closed epoll had a pointer to is over-retained")
    func inClosedEpoll() throws {
      let report = try ScenarioReport(of: "closedEpoll")
      #expect(report.leaks.map(\.verdict) == ["overRetained"], "\(report.findings)")
    }

    @Test(
      "an object into which a pointer leads, or whose address has a tag, is held by it",
      arguments: [
        ("taggedInArray", "Scenarios.Handle"), ("elementsOfBuffer", "Scenarios.SampleBuffer"),
      ])
    func disguised(scenario: String, type: String) throws {
      let report = try ScenarioReport(of: scenario)
      #expect(report.leaks.isEmpty, "\(report.leaks)")
      let held = report.findings.filter { $0.verdict == "heldBy" && $0.certainty == "probable" }
      #expect(held.map(\.type) == [type], "\(report.findings)")
    }

    @Test(
      "an object whose address is kept as a number, or in memory of C code with a tag or an offset, is a probable leak",
      arguments: ["interiorPointer", "taggedPointer", "retainedAddress"])
    func possiblyHeld(scenario: String) throws {
      let leaks = try ScenarioReport(of: scenario).leaks
      #expect(leaks.map(\.verdict) == ["overRetained"])
      #expect(leaks.map(\.certainty) == ["probable"])
    }

    @Test("an object whose address only memory of C code has is undecided, in a former buffer too")
    func inFormerBuffer() throws {
      let report = try ScenarioReport(of: "inCStructureOfFormerBuffer")
      #expect(report.leaks.isEmpty, "\(report.leaks)")
      #expect(report.findings.filter { $0.certainty == "undecided" }.map(\.type) == ["Scenarios.Handle"])
    }

    @Test(
      "addresses of objects that have died hide no leak",
      arguments: ["formerIdentifiers", "formerIdentifiersAsKeys", "formerNumbers"])
    func formerAddresses(scenario: String) throws {
      let leaks = try ScenarioReport(of: scenario).leaks
      #expect(leaks.map(\.verdict) == ["overRetained"] && leaks.map(\.instances) == [30], "\(leaks)")
    }

    @Test("objects that memory of the standard library's holds are no leaks")
    func handlesInBuffer() throws {
      let report = try ScenarioReport(of: "handlesInBuffer")
      #expect(report.leaks.isEmpty, "\(report.leaks)")
    }

    @Test("buffers that C code has freed are not there any more")
    func freedByC() throws {
      let report = try ScenarioReport(of: "cFreesBuffers")
      #expect(report.findings.isEmpty, "\(report.findings)")
    }

    @Test("an object that pending work will release is not over-retained")
    func suspendedWork() throws {
      let report = try ScenarioReport(of: "suspendedWork")
      #expect(report.findings.map(\.type) == ["Scenarios.Parcel"])
      #expect(report.leaks.isEmpty, "\(report.leaks)")
    }
  }
}

extension ExpectedFinding {
  static let overRetained: [ExpectedFinding] = [
    .overRetained("passRetained", "Handle"),
    .overRetained("retainedTwice", "Handle", unexplainedRetains: 2),
    .overRetained("retainedWithVictims", "Archive", victims: 3),
    .overRetained("retainedCycle", "Author", victims: 1),
    .overRetained("retainedAddress", "Handle"),
  ]
}
