import Foundation
import TestSupport
import Testing

/// `liveobjects test` on tests with known leaks.
@Suite(.serialized)
struct KnownLeaksThroughTheToolTests {
  private func test(_ filter: String, _ own: String...) throws -> ProgramRun {
    try AssertionIdioms.package.test(own + ["--filter", filter])
  }

  @Test func aKnownLeakIsListedAsKnownAndDoesNotFail() throws {
    let run = try test("KnownLeakTests/known", "--text", "-", "--list", "known")
    #expect(run.status == .exited(0))
    let report = run.standardOutput
    let count = AssertionIdioms.haveTrait ? 4 : 2
    #expect(report.contains("LiveObjects: no new leaks in \(count) tests"), "\(report)")
    #expect(report.contains("\nKnown: "))
    #expect(report.contains("retain cycle: Demo.ClientSpy  \(count) instances, \(4 * count) objects"))
  }

  @Test(arguments: ["leaks", "held", "growth"])
  func aKnownLeakNeverFails(failOn: String) throws {
    let run = try test("KnownLeakTests/known", "--fail-on", failOn)
    #expect(run.status == .exited(0), "\(run)")
  }
}
