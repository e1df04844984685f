import Foundation
import TestSupport
import Testing

/// Missing libraries and exceeded limits: the report notes them, and the program is not affected.
struct DegradationTests {
  let survivors = BuiltProducts.executable("Survivors")

  /// Runs `Survivors` with a JSON report, and expects the program to behave as without the library.
  func watch(_ options: String, environment: [String: String?] = [:]) throws -> JSONReport {
    let folder = try TemporaryFolder()
    let plain = try runProgram(survivors)
    let run = try runPreloaded(
      survivors, options: "format=json:output=\(folder.path("report")):\(options)", environment: environment)
    #expect(run.visible == plain.visible)
    return try JSONReport(folder.bytes(of: "report"))
  }

  @Test func objectsBeyondTheLimitAreCountedInOneNote() throws {
    let tracking = try watch("maxobjects=1").tracking
    #expect(!tracking.complete)
    #expect(tracking.droppedRecords > 0)
    #expect(tracking.unevaluated.filter { $0.contains("objects were not recorded") }.count == 1)
    #expect(tracking.notes.filter { $0.contains("maxobjects=") }.count == 1)
  }

  @Test func stackTracesBeyondTheLimitAreNotedOnce() throws {
    let tracking = try watch("maxstackbytes=4K").tracking
    #expect(!tracking.complete)
    #expect(tracking.droppedRecords == 0)
    #expect(tracking.notes.filter { $0.contains("maxstackbytes=") }.count == 1)
  }

  /// On an aarch64 processor with memory tagging, glibc tags the addresses of its heap.
  @Test func aHeapWithTagsIsWatchedOrTheReasonIsGiven() throws {
    let report = try watch("stacks=on", environment: ["GLIBC_TUNABLES": "glibc.mem.tagging=1"])
    #expect(report.tracking.complete || report.tracking.notes.contains { $0.contains("have tags") })
  }

  @Test func uncountableRetainsAreNoted() throws {
    let tracking = try watch("way=slots:retains=all").tracking
    #expect(!tracking.complete)
    #expect(tracking.notes.contains { $0.contains("retains were not recorded") })
  }
}
