internal import CLiveObjectsOptions
import LiveObjectsCapture
import LiveObjectsSymbolication
import LiveObjectsSystem

/// The library that watches a program from inside.
enum PreloadLibrary {
  private static let name = "libLiveObjectsPreload.so"

  /// The path of this tool; `nil` on systems without `/proc`.
  static var tool: String? { "/proc/self/exe".resolvingLinks }

  /// The path of the library: next to this tool, as a build leaves it, or in `../lib/liveobjects`, as installed.
  static func find() throws(ToolFailure) -> String {
    guard let tool else {
      throw ToolFailure("programs can be watched on Linux only")
    }
    let folders = [tool.parentFolder, tool.parentFolder.parentFolder + "/lib/liveobjects"]
    guard let folder = folders.first(where: { access("\($0)/\(name)", R_OK) == 0 }) else {
      throw ToolFailure(
        "\(name) is neither in \(folders[0]) nor in \(folders[1]); "
          + "build it with: swift build --product LiveObjectsPreload")
    }
    let path = "\(folder)/\(name)"
    guard !path.utf8.contains(where: { " :$".utf8.contains($0) }) else {
      throw ToolFailure(
        "\(path) cannot be preloaded: LD_PRELOAD cannot name a path with a space, "
          + "a colon or a $; put the tool and the library under a path without")
    }
    return path
  }

  /// This process's environment, with the library and its options.
  ///
  /// - Parameters:
  ///   - library: its path; what the caller preloads as well comes behind it.
  ///   - options: stronger than those of the environment, the last ones most.
  static func environment(preloading library: String, options: [String?]) -> [String] {
    Environment.variables(without: ["LD_PRELOAD", LibraryOptions.variable, LeakSanitizer.variable]) + [
      LeakSanitizer.environment,
      "LD_PRELOAD=" + joined([library, Environment["LD_PRELOAD"]]),
      "\(LibraryOptions.variable)=" + joined([Environment[LibraryOptions.variable]] + options),
    ]
  }

  /// Both variables are lists with colons.
  private static func joined(_ parts: [String?]) -> String {
    parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ":")
  }
}

/// The options of the preload library as `run` and `test` take them.
enum LibraryOptions {
  static let variable = "LIVEOBJECTS_OPTIONS"

  /// The options that `run` and `test` set themselves.
  private static let overridden = ["output", "format", "failon", "exitcode", "tool"]

  /// Checks the options, and prints one line about those without effect.
  ///
  /// - Parameter options: the value of `--options`. A mistake in it would go unnoticed in a CI job.
  /// - Throws: if the options cannot be used. The preload library reports mistakes in those of the
  ///   environment.
  static func check(_ options: String?, under command: String) throws(ToolFailure) {
    if let problem = options.flatMap(problem(in:)) { throw ToolFailure("--options: \(problem)") }
    let given = overridden.filter { key in
      [Environment[variable], options].contains { $0.map { liveobj_options_set($0, key, nil, 0) } ?? false }
    }
    guard !given.isEmpty else { return }
    printError(
      "no effect under \(command): \(given.joined(separator: ", ")); "
        + "use --text, --json, --capture and --fail-on")
  }

  /// The value of an option; that of `--options` counts before that of the environment.
  ///
  /// - Parameter options: the value of `--options`.
  static func value(of key: String, in options: String?) -> String? {
    [options, Environment[variable]].lazy.compactMap { $0.flatMap { value(of: key, set: $0) } }.first
  }

  private static func value(of key: String, set options: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { text in
      guard liveobj_options_set(options, key, text.baseAddress!, text.count) else { return nil }
      let value = String(cString: text.baseAddress!)
      return value.isEmpty ? nil : value
    }
  }

  private static func problem(in options: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { text in
      liveobj_options_check(options, text.baseAddress!, text.count) ? nil : String(cString: text.baseAddress!)
    }
  }
}

/// The leak check of programs that are built with AddressSanitizer. It ends a program that leaks before the
/// preload library can report, and says less: so it is switched off, unless the user has chosen.
enum LeakSanitizer {
  static let variable = "ASAN_OPTIONS"
  private static let option = "detect_leaks"

  /// The variable for watched programs, `NAME=value`.
  static var environment: String {
    let options = [Environment[variable]].compactMap { $0 } + (choice == nil ? ["\(option)=0"] : [])
    return "\(variable)=" + options.filter { !$0.isEmpty }.joined(separator: ":")
  }

  /// Prints one line if the check was off, or ended a program.
  ///
  /// - Parameter isComplete: every program has reported.
  static func warn(about captures: [Capture], isComplete: Bool) {
    if choice == "1", !isComplete {
      printError(
        "\(variable) has \(option)=1: AddressSanitizer's leak check ends a program before it can report")
    } else if choice == nil, captures.contains(where: \.isOfAddressSanitizer) {
      printError(
        "AddressSanitizer's own leak check was off (\(option)=0 in \(variable)): it ends a program before the report"
      )
    }
  }

  /// The value that the user gave.
  private static var choice: Substring? {
    [variable, "LSAN_OPTIONS"].lazy
      .flatMap { (Environment[$0] ?? "").split { ":, \t\n".contains($0) } }
      .last { $0.hasPrefix("\(option)=") }?
      .split(separator: "=").last
  }
}

extension Capture {
  fileprivate var isOfAddressSanitizer: Bool {
    tracking.state == .tracking && ELFFile(path: process.executable)?.hasAddressSanitizer == true
  }
}

/// The libraries that report the running test to the preload library.
enum Companions {
  private static let products = ["LiveObjectsXCTestCompanion", "LiveObjectsTestingCompanion"]

  /// Prints one line about missing companions, and how to build them. Without them, tests are watched as
  /// well.
  ///
  /// - Parameter version: that of the `swift` in PATH. Installed companions have a folder for each version.
  static func warnAboutMissing(nextTo library: String, for version: [Int]) {
    let name = version.prefix(2).map(String.init).joined(separator: ".")
    let folders = ["\(library.parentFolder)/swift-\(name)", library.parentFolder]
    let missing = products.filter { product in
      !folders.contains { access("\($0)/lib\(product).so", R_OK) == 0 }
    }
    guard !missing.isEmpty else { return }
    let files = missing.map { "lib\($0).so" }.joined(separator: ", ")
    printError(
      "\(library.parentFolder) has no \(files) for Swift \(name): findings are reported per process, "
        + "not per test; build LiveObjects with that Swift: `scripts/install PREFIX`, or "
        + missing.map { "`swift build --product \($0)`" }.joined(separator: ", "))
  }
}
