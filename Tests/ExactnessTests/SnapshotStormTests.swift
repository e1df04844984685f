import TestSupport
import Testing

extension Exactness {
  @Suite struct SnapshotStormTests {
    @Test("snapshots with references neither crash nor hang a program with running threads")
    func storm() throws {
      let run = try runProgram(BuiltProducts.executable("SnapshotStorm"), ["60"])
      #expect(run.status == .exited(0), "\(run.standardError)")
      #expect(run.standardOutput == "")
      #expect(run.standardError == "")
    }
  }
}
