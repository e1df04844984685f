import CaptureFixtures
import Foundation
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct CauseTests {
  @Test func equalFindingsOfManyTestsAreOneCause() {
    let report = report((1...125).map { (test: Int) in leak("a", test: "T/test\(test)", line: test) })
    #expect(report.causes.count == 1)
    #expect(report.causes[0].tests.count == 125)
    #expect(report.causes[0].instances == 125)
    #expect(report.causes[0].fingerprints == ["a"])
  }

  @Test func leaksWithACommonReferenceAreOneCause() {
    let report = report(
      (1...3).flatMap { (test: Int) in
        [
          leak("b", "Demo.Pipeline", "Demo.Handler", test: "T/test\(test)", line: test),
          leak("a", "Demo.Pipeline", "Demo.Channel", test: "T/test\(test)", line: test),
        ]
      } + [leak("c", "Demo.Zone", "Demo.Zone", test: "T/test2", line: 2)])
    #expect(report.causes.map(\.id) == ["a", "c"])
    #expect(report.causes[0].fingerprints == ["a", "b"])
    #expect(report.causes[0].instances == 6)
    #expect(report.causes[0].tests.map(\.id) == ["T/test1", "T/test2", "T/test3"])
    let text = TextRenderer().render(report)
    #expect(text.hasPrefix("LiveObjects: 2 leaks in 3 of 3 tests keep 7 objects (224 bytes) alive\n"))
    let entry = """
      1. retain cycle: Demo.Pipeline  3 instances, 96 bytes  [fingerprint a]
         Pipeline.next → Channel.next → Pipeline (cycle closes)
         and likewise: retain cycle: Demo.Pipeline  3 instances, 96 bytes  [fingerprint b]
         Pipeline.next → Handler.next → Pipeline (cycle closes)
         allocated at
           2 ×  test1()  Loader.swift:1
      """
    #expect(text.contains(entry))
  }

  @Test(
    "leaks that no reference of the program has in common are several causes",
    arguments: [
      leak("b", "Demo.Other", "Demo.Another", test: "T/test1", line: 1),
      leak("b", test: "T/test1", line: 1, verdict: .overRetained),
    ])
  func otherLeaksAreOtherCauses(other: Finding) {
    let report = report([leak("a", test: "T/test1", line: 1), other])
    #expect(report.causes.count == 2)
  }

  /// A subscriber that keeps what it has received forms a cycle with every operator, of every element.
  @Test func genericArgumentsAndIndicesMakeNoOtherReference() {
    let references = [("Demo.Map<Swift.Int>", "Swift.Int", 0), ("Demo.Filter", "(Swift.Int) -> ()", 3)]
    let findings = references.enumerated().map { index, cycle in
      var finding = leak("\(index)", cycle.0, test: "T/test\(index)", line: 1)
      finding.path[1] = .init(type: "Demo.Subscriber<\(cycle.1)>", reference: "history[\(cycle.2)]")
      return finding
    }
    let report = report(findings)
    #expect(report.causes.map(\.fingerprints) == [["0", "1"]])
    #expect(report.causes[0].tests.map(\.id) == ["T/test0", "T/test1"])
  }

  /// Unrelated objects may wait for futures of one library, and need changes of their own.
  @Test func leaksWithFixesOfTheirOwnAreSeveralCauses() {
    let lines = [3, 5, 3]
    let findings = lines.enumerated().map { index, line in
      var finding = leak("\(index)", test: "T/test", line: 1)
      finding.hint = Finding.Hint(
        .captureWeakly,
        at: [.init(kind: .closure, name: "closure #1 in Demo.f()", file: "f.swift", line: line)])
      return finding
    }
    #expect(Set(report(findings).causes.map(\.fingerprints)) == [["0", "2"], ["1"]])
  }

  @Test func aReportShowsSomeOfManyFindingsOfACause() {
    let report = report((1...6).map { leak("\($0)", "Demo.Node\($0)", test: "T/test", line: 1) })
    let text = TextRenderer().render(report)
    #expect(report.causes.count == 1)
    #expect(text.matches(of: #/and likewise: retain cycle: /#).count == 3)
    #expect(text.contains("   and likewise 2 more findings with 2 instances, in the JSON report\n"))
    #expect(report.causes[0].fingerprints.count == 6)
  }

  /// `OrderedDictionary` has a table for its keys, and arrays for keys and values.
  @Test func partsOfOneValueAreOneCause() throws {
    let references = ["table._keys.__storage", "table._keys._elements", "table._values", "table._values[]"]
    let findings = references.enumerated().map { index, reference in
      var part = held(
        "\(index)", "Demo.Part\(index)", by: ["static Demo.Store.shared", "Demo.Store.x"], test: 1)
      part.path[1].reference = reference
      return part
    }
    let report = report(
      findings + [held("5", "Demo.Leaf", by: ["static Demo.Store.shared", "Demo.Store.leaf"], test: 1)])
    #expect(Set(report.causes.map(\.fingerprints)) == [["0", "1", "2", "3"], ["5"]])
  }

  /// A table of finished tasks keeps their errors. What is to be done is said about the table.
  @Test func aCollectionAndWhatItsElementsKeepAreOneCause() throws {
    let tasks = ["static Demo.Mirrors.shared", "Demo.Mirrors.tasks"]
    var table = held("b", "[Swift.Task]", by: tasks, elements: 20, test: 1)
    table.hint = Finding.Hint(.limitCollection, at: [.init(kind: .call, name: "Demo.Mirrors.fetch()")])
    var error = held("a", "Demo.Failed", by: tasks + ["task.result"], instances: 20, test: 1)
    error.path[1].reference = "tasks[value]"
    let cause = try #require(report([error, table]).causes.first)
    #expect(cause.fingerprints == ["a", "b"])
    #expect((cause.sum.type, cause.sum.hint, cause.victims) == ("[Swift.Task]", table.hint, 20))
  }

  @Test func heldObjectsOfOneCallAreSeveralCauses() {
    let report = report([
      leak("a", test: "T/test1", line: 1, verdict: .heldBy),
      leak("b", "Demo.Other", "Demo.Another", test: "T/test1", line: 1, verdict: .heldBy),
    ])
    #expect(report.causes.map(\.id) == ["a", "b"])
  }

  @Test func whatHeldObjectsKeepAliveHasTheirCause() throws {
    let (hub, channel) = ("static Demo.Hub.shared", "Demo.Channel.")
    let report = report(
      (1...2).flatMap { (test: Int) in
        [
          held("a", "Demo.Channel", by: [hub], instances: 3, test: test),
          held("b", "Demo.Socket", by: [hub, channel + "sockets"], instances: 6, test: test),
          held("c", "Demo.Buffer", by: [hub, channel + "buffers"], instances: 21, test: test),
          held("d", "[Swift.Int]", by: [hub, channel + "log"], instances: 3, elements: 42, test: test),
          held("e", "[Swift.Bool]", by: [hub, channel + "flags"], instances: 3, elements: 6, test: test),
        ]
      } + [
        held("f", "Demo.Socket", by: ["static Demo.Pool.shared"], instances: 3, test: 1),
        held("g", "Demo.Lock", by: [hub, channel + "lock"], instances: 3, test: 3),
      ])
    #expect(Set(report.causes.map(\.fingerprints)) == [["a", "b", "c", "d", "e"], ["f"], ["g"]])
    let cause = try #require(report.causes.first { $0.id == "a" })
    #expect(cause.sum.type == "Demo.Channel")
    #expect((cause.instances, cause.objects, cause.victims) == (6, 72, 66))
    let text = TextRenderer(listing: [.held]).render(report)
    #expect(
      text.contains(
        "and 66 objects that these objects keep alive: Buffer × 42, Socket × 12, [Bool] × 6 and 1 more type\n"
      ))
  }

  /// Not every test shows the call that ends it.
  @Test func oneFingerprintIsOneCauseIfOnlyOneTestHasAFix() throws {
    var timers = (1...3).map { held("a", "Demo.Ticker", by: ["timer", "Demo.Clock.timer"], test: $0) }
    timers[1].hint = Finding.Hint(.clearProperty, at: [.init(kind: .property, name: "Demo.Clock.timer")])
    timers[2].dependency = "clocks"
    let causes = report(timers).causes
    #expect(causes.map(\.id) == ["a"])
    #expect(causes[0].sum.hint == timers[1].hint)
  }

  /// Outside of tests, objects have come at different times.
  @Test func whatMayHaveGrownByItselfIsACauseOfItsOwnOutsideOfTests() {
    let (hub, channel) = ("static Demo.Hub.shared", "Demo.Channel.")
    let report = report([
      held("a", "Demo.Channel", by: [hub], instances: 3, test: nil),
      held("b", "Demo.Socket", by: [hub, channel + "sockets"], instances: 6, test: nil),
      held("c", "Demo.Buffer", by: [hub, channel + "buffers"], instances: 21, test: nil),
      held("d", "[Swift.Int]", by: [hub, channel + "log"], instances: 3, elements: 42, test: nil),
      held("e", "[Swift.Bool]", by: [hub, channel + "flags"], instances: 3, elements: 6, test: nil),
    ])
    #expect(Set(report.causes.map(\.fingerprints)) == [["a", "b", "e"], ["c"], ["d"]])
  }

  /// There are more bytes than channels may have, but no more than their buffers may.
  @Test func whatIsKeptByKeptObjectsIsCountedOnce() throws {
    let (hub, channel) = ("static Demo.Hub.shared", "Demo.Channel.buffers")
    let report = report([
      held("a", "Demo.Channel", by: [hub], instances: 3, test: nil),
      held("b", "Demo.Buffer", by: [hub, channel], instances: 9, test: nil),
      held("c", "Demo.Byte", by: [hub, channel, "Demo.Buffer.bytes"], instances: 80, test: nil),
    ])
    #expect(report.causes.map(\.fingerprints) == [["a", "b", "c"]])
    #expect(report.causes.map(\.objects) == [92])
  }

  @Test func aHeldObjectWithAFixOfItsOwnIsACauseOfItsOwn() {
    var socket = held("b", "Demo.Socket", by: ["static Demo.Hub.shared", "Demo.Channel.socket"], test: 1)
    socket.hint = Finding.Hint(.closeChannel, at: [.init(kind: .call, name: "Demo.Hub.open()")])
    let channel = held("a", "Demo.Channel", by: ["static Demo.Hub.shared"], test: 1)
    #expect(report([channel, socket]).causes.count == 2)
    socket.hint?.action = .limitCollection
    #expect(report([channel, socket]).causes.count == 1)
  }

  @Test func whatADependencyKeepsOfYoursIsACauseOfItsOwn() {
    var hub = held("a", "Wire.Hub", by: ["static Wire.Hub.shared"], test: 1)
    hub.dependency = "wire"
    let handler = held("b", "Demo.Handler", by: ["static Wire.Hub.shared", "Wire.Hub.handler"], test: 1)
    #expect(report([hub, handler]).causes.map(\.dependency) == [nil, "wire"])
  }

  /// Each test case holds objects of its own test, whichever class declares the property.
  @Test func whatAPropertyOfTestCasesHoldsIsOneCause() throws {
    let property = Finding.Hint.Place(
      kind: .property, name: "Demo.BaseTests.client", file: "/demo/BaseTests.swift", line: 7)
    var findings = [
      held("a", "Demo.Client", by: ["Demo.LoadTests.client"], test: 1),
      held("b", "Demo.Client", by: ["Demo.SaveTests.client"], instances: 2, test: 2),
      held(
        "c", "Demo.Request", by: ["Demo.SaveTests.client", "Demo.Client.requests"], instances: 9, test: 2),
    ]
    for index in findings.indices { findings[index].hint = Finding.Hint(.clearProperty, at: [property]) }
    let other = held("d", "Demo.Client", by: ["Demo.SendTests.client"], test: 3)
    let report = report(findings + [other])
    #expect(Set(report.causes.map(\.fingerprints)) == [["a", "b", "c"], ["d"]])
    let cause = try #require(report.causes.first { $0.fingerprints.count == 3 })
    #expect((cause.instances, cause.objects) == (3, 12))
    let text = TextRenderer(listing: [.held]).render(report)
    #expect(text.contains("and 9 objects that the property keeps alive: Request × 9\n"))
    #expect(
      try HintText(#require(cause.sum.hint)).text
        == "XCTest keeps test cases until the process ends: clear BaseTests.client, BaseTests.swift:7, in tearDown(), and call super.tearDown() in subclasses"
    )
  }

  /// Each test left another channel open: one line is not the fix of all.
  @Test func aCauseListsThePlacesOfAllItsFixes() throws {
    let calls = [("T.setUp()", 3), ("T.testTwo()", 5), ("T.setUp()", 3), ("T.testFour()", 9)].map {
      Finding.Hint.Place(kind: .call, name: "Demo.\($0.0)", file: "/demo/T.swift", line: $0.1)
    }
    let findings = calls.enumerated().map { index, call in
      var finding = leak("0123456789abcdef", test: "T/test\(index)", line: index)
      finding.hint = Finding.Hint(.closeChannel, at: [call])
      return finding
    }
    let report = report(findings)
    let hint = try #require(report.causes[0].sum.hint)
    #expect(hint.places == [calls[0]])
    #expect(Set(hint.otherPlaces) == [calls[1], calls[3]])
    #expect(
      HintText(hint).text
        == "the channel created in T.setUp(), T.swift:3, was not closed: close it (2 other places in the JSON report)"
    )
    var failing = report
    failing.run.failOn = .leaks
    #expect(TextRenderer().summary(of: failing).contains("\n   fix: the channel created in T.setUp()"))
    let again = try JSONReportReader.report(in: Array(JSONRenderer().render(report).utf8))
    #expect(again.causes[0].sum.hint == hint)
    #expect(again.findings.allSatisfy { $0.hint?.otherPlaces == [] })
  }

  @Test func growthOfOneTypeIsOneCause() {
    let report = report(["b", "a"].map { leak($0, test: nil, line: 1, verdict: .growth) })
    #expect(report.causes.map(\.id) == ["a"])
    #expect(report.causes[0].fingerprints == ["a", "b"])
  }

  @Test func knownIssuesAreOtherCauses() {
    var known = leak("a", test: "T/test1", line: 1)
    known.acceptance = .knownIssue
    #expect(report([leak("a", test: "T/test1", line: 1), known]).causes.map(\.section) == [.leaks, .known])
  }

  @Test func eachFindingHasItsCauseInJSON() throws {
    let report = report([
      leak("b", "Demo.Pipeline", "Demo.Handler", test: "T/test1", line: 1),
      leak("a", "Demo.Pipeline", "Demo.Channel", test: "T/test1", line: 1),
      leak("c", "Demo.Zone", test: nil, line: 7),
    ])
    let text = JSONRenderer().render(report)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let findings = try #require(json["findings"] as? [[String: Any]])
    #expect(findings.map { $0["cause"] as? String } == ["a", "a", "c"])
    let causes = try #require(json["causes"] as? [[String: Any]])
    #expect(causes.map { $0["id"] as? String } == ["a", "c"])
    #expect(causes.map { $0["findings"] as? [String] } == [["a", "b"], ["c"]])
    #expect(causes.map { $0["outsideOfTests"] as? Bool } == [false, true])
    #expect(causes.map { $0["instances"] as? Int } == [2, 1])
  }

  @Test func allNumbersAreNumbersOfCauses() {
    let report = report(
      (1...4).map { (test: Int) in leak("a", test: "T/test\(test)", line: test) } + [
        leak("b", "Demo.Other", "Demo.Another", test: "T/test1", line: 9),
        leak("c", "Demo.Job", "Demo.Queue", test: nil, line: 7),
      ])
    let text = TextRenderer(listing: [.tests]).render(report)
    #expect(
      text.hasPrefix(
        """
        LiveObjects: 3 leaks in 4 of 4 tests and outside of tests keep 6 objects (192 bytes) alive

        Tests that leak:

          T/test1  2 leaks
          T/test2  1 leak

        """))
  }

  @Test func whatADependencyHoldsItselfIsOneLineAndFailsNothing() {
    let types = ["Wire.Hub", "Wire.Connection", "Link.Cable"]
    var findings = types.enumerated().map { number, type in
      leak("\(number)", type, type, test: nil, line: 1, verdict: number == 1 ? .growth : .heldBy)
    }
    for index in findings.indices { findings[index].dependency = index == 2 ? "link" : "wire" }
    let text = report(findings).text(failOn: .held)
    #expect(text.hasPrefix("LiveObjects: nothing of yours was left behind in demo (pid 12)\n"))
    #expect(
      text.contains(
        """
        `--fail-on held`.

          link: 1 instance of 1 type, none of your code; the JSON report lists them
          wire: 1 instance of 1 type, none of your code; the JSON report lists them

        Growth: \

        """))
    #expect(findings.filter(FailOn.growth.includes).isEmpty)
    #expect(JSONRenderer().render(report(findings)).contains("\"origin\": \"dependency\""))
  }

  @Test func leaksOfDependenciesAreListedAfterYours() {
    var findings = [
      leak("a", "Wire.Hub", "Wire.Hub", test: nil, line: 1),
      leak("b", test: nil, line: 2, verdict: .overRetained),
    ]
    findings[0].dependency = "wire"
    #expect(report(findings).causes.map(\.id) == ["b", "a"])
    #expect(findings.allSatisfy(FailOn.leaks.includes))
    #expect(TextRenderer().render(report(findings)).hasPrefix("LiveObjects: 2 leaks keep"))
  }

  private func report(_ findings: [Finding]) -> Report {
    var builder = CaptureBuilder()
    for test in Set(findings.compactMap(\.test)).sorted() { builder.test(test) }
    var analysis = Analysis(of: builder.capture, symbolicator: TableSymbolicator())
    analysis.findings = findings
    return Report(of: [(builder.capture, analysis)])
  }
}

/// A finding about objects that are held along a path.
private func held(
  _ fingerprint: String, _ type: String, by path: [String], instances: Int = 1, elements: Int? = nil,
  test: Int?
) -> Finding {
  let steps = path.enumerated().map { index, step in
    let parts = step.split(separator: ".")
    return index == 0 && step.contains(" ")
      ? Finding.PathStep(type: step, reference: "")
      : .init(type: parts.dropLast().joined(separator: "."), reference: String(parts.last!))
  }
  var finding = Finding(
    fingerprint: fingerprint, verdict: .heldBy, type: type, kind: .classInstance, instances: instances,
    objects: instances, bytes: UInt64(16 * instances), test: test.map { "T/test\($0)" }, path: steps,
    allocatedAt: [.init(instances: instances, frames: [.user("make()", line: test ?? 1)])])
  finding.elements = elements
  return finding
}

/// A finding about two objects that hold each other, allocated at a line of a test.
private func leak(
  _ fingerprint: String, _ type: String = "Demo.Node", _ other: String = "Demo.Leaf", test: String?,
  line: Int?, verdict: Finding.Verdict = .retainCycle
) -> Finding {
  let frames = [SourceFrame.user("test\(line ?? 0)()", line: line)]
  return Finding(
    fingerprint: fingerprint, verdict: verdict, type: type, kind: .classInstance, instances: 1, objects: 1,
    bytes: 32, test: test,
    path: [.init(type: type, reference: "next"), .init(type: other, reference: "next")],
    allocatedAt: [.init(instances: 1, frames: frames)])
}
