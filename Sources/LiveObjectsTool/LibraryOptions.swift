internal import CLiveObjectsOptions
import LiveObjectsReport
import LiveObjectsSymbolication

/// The options of the preload library as `run` and `test` take them.
enum LibraryOptions {
  static let variable = "LIVEOBJECTS_OPTIONS"

  /// The options that `run` and `test` set themselves.
  private static let overridden = ["output", "format", "failon", "exitcode", "tool"]

  /// Checks the options, and prints one line about those without effect.
  ///
  /// - Parameters:
  ///   - options: the value of `--options`. A mistake in it would go unnoticed in a CI job.
  ///   - command: the subcommand.
  /// - Throws: if the options cannot be used. The preload library reports mistakes in those of the
  ///   environment.
  static func check(_ options: String?, under command: String) throws(ToolFailure) {
    if let problem = options.flatMap(problem(in:)) { throw ToolFailure("--options: \(problem)") }
    let given = overridden.filter { key in
      [Environment[variable], options].contains { $0.map { liveobj_options_set($0, key) } ?? false }
    }
    guard !given.isEmpty else { return }
    printError(
      "no effect under \(command): \(given.joined(separator: ", ")); "
        + "use --text, --json, --capture and --fail-on")
  }

  private static func problem(in options: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { text in
      liveobj_options_check(options, text.baseAddress!, text.count) ? nil : String(cString: text.baseAddress!)
    }
  }
}
