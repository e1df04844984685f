import TestSupport

extension JSONReport {
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
    return (try JSONReport(folder.bytes(of: "report")), run)
  }
}
