import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite("A path as text")
struct ShownPathTests {
  @Test("closes on its first step in a cycle, by the closure's name for it")
  func closesCycles() throws {
    #expect(
      try line(.retainCycle, [("Demo.View", "state.handler"), ("closure #1 in Demo.View.load()", "self")])
        == "View.state.handler → closure #1 in View.load() → self (cycle closes)")
    #expect(try line(.retainCycle, [("Demo.Node", "next")]) == "Node.next → Node (cycle closes)")
    #expect(
      try line(.retainCycle, [("Demo.Owner", "work"), ("closure #1 in Demo.main()", "captured Owner")])
        == "Owner.work → closure #1 in main() → captured Owner (cycle closes)")
  }

  @Test("leaves generic arguments out before a property has no room")
  func keepsProperties() throws {
    let type =
      "Demo.Operators<Demo.Publisher<Swift.Int, Demo.ErrorWithAVeryLongName>>.Inner<(Swift.Int) -> Demo.Subscriber<Swift.Int>>"
    #expect(
      try line(.retainCycle, [(type, "downstream"), ("Demo.Subscriber<Swift.Int>", "history[0]")])
        == "Operators<…>.Inner<…>.downstream → Subscriber<Int>.history[0] → Operators<…>.Inner<…> (cycle closes)"
    )
  }

  @Test("continues from the captures of a closure")
  func goesOnFromCaptures() throws {
    let closure = "closure #1 in Demo.Loader.load()"
    #expect(
      try line(.retainCycle, [("Demo.Spy", "completion"), (closure, "self"), ("Demo.Loader", "client")])
        == "Spy.completion → closure #1 in Loader.load() → self.client → Spy (cycle closes)")
    #expect(
      try line(
        .retainCycle, [("Demo.Spy", "completion"), (closure, "captured variable"), ("Demo.Cell", "spy")])
        == "Spy.completion → closure #1 in Loader.load() → captured variable Cell.spy → Spy (cycle closes)")
    #expect(
      try line(
        .retainCycle,
        [("Demo.Spy", "f"), (closure, "captured Box<Demo.Item>"), ("Demo.Box<Demo.Item>", "spy")])
        == "Spy.f → closure #1 in Loader.load() → captured Box<Item>.spy → Spy (cycle closes)")
    #expect(
      try line(.retainCycle, [("Demo.A", "f"), (closure, ""), (closure, "captured A")])
        == "A.f → closure #1 in Loader.load() → closure #1 in Loader.load() → captured A (cycle closes)")
  }

  @Test("names a task's closure once")
  func namesTheClosureOfATask() throws {
    #expect(
      try line(
        .heldBy,
        [("enqueued task in closure #1 in Demo.A.run()", "closure"), ("closure #1 in Demo.A.run()", "self")])
        == "enqueued task in closure #1 in A.run() → closure #1 in A.run() → self")
  }

  @Test("leads from a holder to the object")
  func leadsFromHolders() throws {
    let item = "Demo.Item"
    #expect(try line(.heldBy, [("global Demo.cache", "[0]")], of: item) == "global cache[0] → Item")
    #expect(try line(.heldBy, [("static Demo.Item.shared", "")], of: item) == "static Item.shared → Item")
    #expect(
      try line(.heldBy, [("static Demo.Registry.shared", ""), ("Demo.Registry", "items[0]")], of: item)
        == "static Registry.shared.items[0] → Item")
    #expect(
      try line(.heldBy, [("static Demo.Registry.shared", ""), (item, "")], of: item)
        == "static Registry.shared → Item")
    #expect(
      try line(.heldBy, [("suspended task in Demo.Poller.run()", ""), ("Demo.Poller", "items[0]")], of: item)
        == "suspended task in Poller.run() → Poller.items[0] → Item")
  }

  @Test("names the holder, also if the objects hold themselves through it")
  func namesHolders() throws {
    let path = try path(
      .heldBy,
      [
        ("Demo.Poller", "task"), ("suspended task in Demo.Poller.run()", "closure"),
        ("closure #1 in Demo.Poller.run()", "self"),
      ], of: "Demo.Poller")
    #expect(path.holder(of: "Demo.Poller") == "suspended task in Poller.run()")
    #expect(path.segments.last == "self")
  }

  @Test("has modules if two types would have the same name")
  func distinguishesTypes() throws {
    #expect(
      try line(
        .retainCycle, [("Demo.Client", "spy"), ("DemoTests.Client", "real"), ("Demo.Box<Demo.A>", "value")])
        == "Demo.Client.spy → DemoTests.Client.real → Box<A>.value → Demo.Client (cycle closes)")
  }

  @Test("is truncated in the middle, and each name at its end")
  func isCut() throws {
    let long = try path(.retainCycle, (0..<100).map { ("Demo.T\($0)", "next") })
    #expect(long.segments.count == 12)
    #expect(long.segments[8] == "… 90 more …")
    #expect(long.segments.last == "T0 (cycle closes)")
    let wide = try path(.retainCycle, [("Demo." + String(repeating: "x", count: 1_000), "next")])
    #expect(wide.segments.allSatisfy { $0.count <= 80 + " (cycle closes)".count })
  }

  @Test("is empty for a finding without a path")
  func isNone() {
    #expect(ShownPath(of: ExplainedFindings.growth) == nil)
  }

  private func line(
    _ verdict: Finding.Verdict, _ steps: [(String, String)], of type: String = "Demo.A"
  ) throws -> String {
    try path(verdict, steps, of: type).segments.joined(separator: " → ")
  }

  private func path(
    _ verdict: Finding.Verdict, _ steps: [(String, String)], of type: String = "Demo.A"
  ) throws -> ShownPath {
    try #require(
      ShownPath(
        of: Finding(
          fingerprint: "f", verdict: verdict, type: type, kind: .classInstance, instances: 1, objects: 1,
          bytes: 32, path: steps.map { .init(type: $0, reference: $1) })))
  }
}
