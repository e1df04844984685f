import LiveObjectsAnalysis
import LiveObjectsReport
import Testing

@testable import LiveObjectsTool

@Suite("Types for a second run")
struct RetainPatternsTests {
  @Test(
    "are named as in the source",
    arguments: [
      ("Demo.Cache", "Demo.Cache"),
      ("Demo.Cache<Swift.Array<Swift.Int>>", "Demo.Cache"),
      ("Demo.Outer<Swift.Int>.Inner", "Demo.Outer.Inner"),
      ("(extension in Demo):Swift.Array<Swift.Int>.Cache", "*.Cache"),
    ])
  func namesTypes(type: String, pattern: String) {
    #expect(RetainPatterns(of: [leak(type)])?.patterns == [pattern])
  }

  @Test("have a name", arguments: ["closure #1 () -> () in Demo.run()", "raw buffer", "(Swift.Int, Demo.A)"])
  func skipsUnnamedTypes(type: String) {
    #expect(RetainPatterns(of: [leak(type)]) == nil)
  }

  @Test("are all that a cycle consists of")
  func takesWholeCycles() {
    var cycle = leak("Demo.A", .retainCycle)
    cycle.path = [("Demo.A", "b"), ("Demo.B", "handler"), ("closure #1 in Demo.B.run()", "self")].map {
      Finding.PathStep(type: $0.0, reference: $0.1)
    }
    #expect(RetainPatterns(of: [cycle])?.added(to: nil) == "retains='Demo.A,Demo.B'")
  }

  @Test("are those of leaks, or those of growth if nothing leaked")
  func prefersLeaks() {
    let grown = leak("Demo.Grown", .growth)
    #expect(RetainPatterns(of: [grown, leak("Demo.Leaked")])?.patterns == ["Demo.Leaked"])
    #expect(RetainPatterns(of: [grown])?.patterns == ["Demo.Grown"])
  }

  @Test("fit into an option")
  func staysShort() throws {
    let many = (0..<1_000).map { leak("Demo.Type\($0)") }
    let option = try #require(RetainPatterns(of: many)).added(to: nil)
    #expect((3_900..<4_096).contains(option.utf8.count))
  }

  private func leak(_ type: String, _ verdict: Finding.Verdict = .overRetained) -> Finding {
    Finding(
      fingerprint: type, verdict: verdict, type: type, kind: .classInstance, instances: 1, objects: 1,
      bytes: 16)
  }
}
