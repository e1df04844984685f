import Synchronization
import Testing

/// Runs of scenarios that one run may hide: a stale word can have the address of a task or of an over-retained object.
///
/// Their sum is bounded, so that a slow loss of findings is noticed.
enum Repetitions {
  private static let limit = 24
  private static let total = Atomic(0)

  /// What a run found, or else the first of at most eight others that finds anything.
  static func result<Finding>(
    of scenario: String, _ first: [Finding], else run: () throws -> [Finding]
  ) throws -> [Finding] {
    var found = first
    for _ in 0..<8 where found.isEmpty {
      note(scenario)
      found = try run()
    }
    return found
  }

  private static func note(_ scenario: String) {
    let count = total.add(1, ordering: .relaxed).newValue
    print("Repetition \(count) of at most \(limit): \(scenario)")
    #expect(count <= limit, "scenarios were hidden too often")
  }
}
