import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSymbolication

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
  /// - Parameters:
  ///   - captures: of the programs that were watched.
  ///   - isComplete: every program has reported.
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
