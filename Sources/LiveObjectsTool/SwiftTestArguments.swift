/// The arguments of `swift test`.
extension [String] {
  /// Whether it runs tests with them. When in doubt, yes.
  var runsTests: Bool { !contains(where: Self.inquiries.contains) && !haveSubcommand }

  /// Options that make `swift test` print information instead.
  private static let inquiries: Set = [
    "-l", "--list-tests", "-h", "-help", "--help", "--help-hidden", "--version", "--show-codecov-path",
    "--show-code-coverage-path", "--show-coverage-path",
  ]

  /// After an option, it is that option's value: `--filter list`.
  private var haveSubcommand: Bool {
    indices.contains { index in
      ["list", "last"].contains(self[index]) && (index == 0 || !self[index - 1].hasPrefix("-"))
    }
  }

  /// An option of `liveobjects test` that stands among them, where it means nothing.
  var misplacedOption: String? {
    let own = ["--text", "--json", "--capture", "--fail-on", "--options"]
    return first { argument in own.contains { argument == $0 || argument.hasPrefix($0 + "=") } }
  }
}
