import LiveObjectsReport
import LiveObjectsSymbolication

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Programs by their names.
enum ProgramSearch {
  /// The file that a shell would run; the name itself if there is none.
  static func path(of program: String) -> String {
    guard !program.contains("/") else { return program }
    let folders = (Environment["PATH"] ?? "/bin:/usr/bin").split(separator: ":")
    return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 } ?? program
  }
}
