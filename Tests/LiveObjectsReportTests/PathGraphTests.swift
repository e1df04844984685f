import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct PathGraphTests {
  @Test func aCycleClosesOnItsFirstNode() throws {
    let graph = try #require(PathGraph(of: ExplainedFindings.cycle))
    #expect(graph.nodes.count == 3)
    #expect(graph.edges.map(\.target) == [1, 2, 0])
    #expect(graph.edges.last?.label == "self")
  }

  @Test func aHolderLeadsToTheObject() throws {
    let graph = try #require(PathGraph(of: ExplainedFindings.heldByStatic))
    #expect(graph.nodes == ["static Demo.Registry.shared", "Demo.Registry", "Demo.Item"])
    #expect(graph.edges.map(\.target) == [1, 2])
  }

  @Test(arguments: [12, 13, 14, 40, 1_000]) func theMiddleOfALongPathIsOneNode(count: Int) throws {
    var finding = ExplainedFindings.cycle
    finding.path = (0..<count).map { .init(type: "T\($0)", reference: "r\($0)") }
    let graph = try #require(PathGraph(of: finding))
    #expect(graph.nodes.count == (count < 14 ? count : 13))
    #expect(graph.edges.count == graph.nodes.count)
    #expect(graph.nodes.last == "T\(count - 1)")
    #expect(graph.edges.map(\.source) == Array(graph.nodes.indices))
    #expect(graph.edges.map(\.target) == Array(1..<graph.nodes.count) + [0])
    #expect(graph.edges.last?.label == "r\(count - 1)")
  }

  @Test func theHintNamesAReference() throws {
    var finding = ExplainedFindings.cycle
    finding.hint = Finding.Hint(.declareWeak, at: [.init(kind: .property, name: "Demo.Loader.client")])
    #expect(PathGraph(of: finding)?.edges.map(\.isCut) == [true, false, false])
    finding.hint = Finding.Hint(.release, at: [.init(kind: .property, name: "Demo.Loader.client")])
    #expect(PathGraph(of: finding)?.edges.map(\.isCut) == [false, false, false])
  }
}
