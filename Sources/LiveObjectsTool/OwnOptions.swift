import LiveObjectsReport

/// The options of `liveobjects test`, which may stand among those of `swift test`.
enum OwnOptions {
  private static let flags: Set = ["--prune-baseline", "--verbose", "--explain-retains"]
  private static let withValues: Set =
    Set(ReportFormat.allCases.map { "--\($0)" }).union([
      "--capture", "--fail-on", "--options", "--baseline", "--write-baseline", "--suppressions",
      "--package-path", "--list", "--annotations",
    ])

  /// Options of `swift test` whose values are other programs' options.
  private static let passing: Set = [
    "-Xcc", "-Xswiftc", "-Xlinker", "-Xcxx", "-Xxcbuild", "-Xbuild-tools-swiftc", "-Xmanifest",
  ]

  /// The arguments of this tool, with the own options of `test` and `baseline` directly after the command, each
  /// with its value. What follows `--` stays there.
  static func arranged(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, ["test", "baseline"].contains(command) else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return [command] + first(in: arguments[1..<end]) + Array(arguments[end...])
  }

  private static func first(in arguments: ArraySlice<String>) -> [String] {
    var (own, others): ([String], [String]) = ([], [])
    var rest = arguments
    while let argument = rest.popFirst() {
      let isOwn = flags.contains(argument) || isValued(argument)
      let takesNext =
        withValues.contains(argument) || passing.contains(argument)
      let words = [argument] + (takesNext ? [rest.popFirst()].compactMap { $0 } : [])
      if isOwn { own += words } else { others += words }
    }
    return own + others
  }

  private static func isValued(_ argument: String) -> Bool {
    withValues.contains(String(argument.prefix { $0 != "=" }))
  }
}
