/// The options of the preload library that have no effect under `run`, which decides them itself.
struct OverriddenOptions: CustomStringConvertible {
  private static let keys = ["output", "format", "failon", "exitcode", "tool"]

  private let given: [String]

  /// - Parameter lists: the values of LIVEOBJECTS_OPTIONS and of `--options`.
  /// - Returns: `nil` if everything in them has an effect.
  init?(in lists: [String?]) {
    let all = Set(lists.compactMap { $0 }.flatMap(Self.keys(of:)))
    given = Self.keys.filter(all.contains)
    if given.isEmpty { return nil }
  }

  /// One line for people.
  var description: String {
    "no effect under run: \(given.joined(separator: ", ")); "
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
