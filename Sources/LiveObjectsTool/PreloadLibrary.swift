import LiveObjectsReport
import LiveObjectsSymbolication

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The library that watches a program from inside.
enum PreloadLibrary {
  private static let name = "libLiveObjectsPreload.so"

  /// The path of this tool; `nil` on systems without `/proc`.
  static var tool: String? { "/proc/self/exe".resolvingLinks }

  /// The path of the library: beside this tool, as a build leaves it, or in `../lib`, as installed.
  static func find() throws(ToolFailure) -> String {
    guard let tool else {
      throw ToolFailure("programs can be watched on Linux only")
    }
    let folder = tool.parentFolder
    let candidates = ["\(folder)/\(name)", "\(folder.parentFolder)/lib/\(name)"]
    guard let path = candidates.first(where: { access($0, R_OK) == 0 }) else {
      throw ToolFailure(
        "\(name) is neither in \(folder) nor in \(folder.parentFolder)/lib; "
          + "build it with: swift build --product LiveObjectsPreload")
    }
    guard !path.utf8.contains(where: { " :".utf8.contains($0) }) else {
      throw ToolFailure(
        "\(path) cannot be preloaded: LD_PRELOAD cannot name a path with a space "
          + "or a colon; put the tool and the library under a path without")
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
