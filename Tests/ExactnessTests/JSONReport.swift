import Foundation
import TestSupport

/// The fields of a JSON report that the tests read.
struct JSONReport: Decodable {
  struct Tracking: Decodable {
    var complete: Bool
    var notes: [String]
  }
  struct Frame: Decodable {
    var function: String?
    var file: String?
    var line: Int?
  }
  struct CallSite: Decodable {
    var instances: Int
    var estimated: Bool?
    var frames: [Frame]
  }
  struct Finding: Decodable {
    var verdict: String
    var type: String
    var instances: Int
    var allocatedAt: [CallSite]
  }
  struct TypeRow: Decodable {
    var type: String
    var live: Int
    var pinned: Int
  }
  var tracking: Tracking
  var findings: [Finding]
  var types: [TypeRow]

  /// Runs a fixture under the preload library.
  ///
  /// - Parameter options: besides the defaults.
  static func of(
    _ fixture: String, _ arguments: [String] = [], options: String = ""
  ) throws -> (report: JSONReport, run: ProgramRun) {
    let folder = try TemporaryFolder()
    let run = try runProgram(
      BuiltProducts.executable(fixture), arguments,
      environment: [
        "LD_PRELOAD": BuiltProducts.preloadLibrary,
        "LIVEOBJECTS_OPTIONS": "output=\(folder.path("report")):format=json:\(options)",
      ])
    let bytes = Data(try folder.bytes(of: "report"))
    return (try JSONDecoder().decode(JSONReport.self, from: bytes), run)
  }
}
