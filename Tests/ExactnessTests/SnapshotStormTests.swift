import TestSupport
import Testing

extension Exactness {
  @Suite struct SnapshotStormTests {
    @Test("snapshots with references of a program whose threads go on neither crash nor hang it")
    func storm() throws {
      let run = try runProgram(BuiltProducts.executable("SnapshotStorm"), ["60"])
      #expect(run.status == .exited(0), "\(run.standardError)")
      #expect(run.standardOutput == "")
      #expect(run.standardError == "")
    }
  }
}
