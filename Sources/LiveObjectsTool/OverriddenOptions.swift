import LiveObjectsReport

/// The options of the preload library that have no effect under `run` and `test`, which decide them themselves.
struct OverriddenOptions: CustomStringConvertible {
  private static let keys = ["output", "format", "failon", "exitcode", "tool"]

  private let command: String
  private let given: [String]

  /// - Parameters:
  ///   - lists: the values of LIVEOBJECTS_OPTIONS and of `--options`.
  ///   - command: the subcommand that overrides them.
  /// - Returns: `nil` if everything in them has an effect.
  private init?(in lists: [String?], under command: String) {
    self.command = command
    let all = Set(lists.compactMap { $0 }.flatMap(Self.keys(of:)))
    given = Self.keys.filter(all.contains)
    if given.isEmpty { return nil }
  }

  /// Says it in one line, if anything in LIVEOBJECTS_OPTIONS or `--options` has no effect.
  static func sayWhatHasNoEffect(_ options: String?, under command: String) {
    let lists = [Environment["LIVEOBJECTS_OPTIONS"], options]
    if let overridden = OverriddenOptions(in: lists, under: command) { printError("\(overridden)") }
  }

  /// One line for people.
  var description: String {
    "no effect under \(command): \(given.joined(separator: ", ")); "
      + "use --text, --json, --capture and --fail-on"
  }

  /// `key=value:key='a:b'` gives both keys.
  private static func keys(of list: String) -> [String] {
    var keys: [String] = []
    var rest = list[...]
    while !rest.isEmpty {
      let key = rest.prefix { $0 != "=" && $0 != ":" }
      keys.append(String(key))
      rest = rest[key.endIndex...]
      if let quote = rest.dropFirst().first, rest.first == "=", "'\"".contains(quote) {
        rest = rest.dropFirst(2).drop { $0 != quote }
      }
      rest = rest.drop { $0 != ":" }.dropFirst()
    }
    return keys
  }
}
