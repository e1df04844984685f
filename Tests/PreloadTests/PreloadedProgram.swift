import TestSupport

/// Runs a program under the preload library.
///
/// - Parameter options: the value of `LIVEOBJECTS_OPTIONS`.
func runPreloaded(
  _ executable: String, _ arguments: [String] = [], options: String = "",
  environment: [String: String?] = [:]
) throws -> ProgramRun {
  try runProgram(
    executable, arguments,
    environment: environment.merging([
      "LD_PRELOAD": BuiltProducts.preloadLibrary, "LIVEOBJECTS_OPTIONS": options,
    ]) { own, _ in own })
}

/// Options with which no tool is found, even if one was built next to the library.
let withoutTool = "tool=/does/not/exist"

/// The library's lines on standard error.
func messages(_ run: ProgramRun) -> [Substring] {
  run.standardError.split(separator: "\n").filter { $0.hasPrefix("LiveObjects: ") }
}

extension ProgramRun {
  /// The part that the program's user sees.
  var visible: [String] { [standardOutput, standardError, "\(status)"] }
}
