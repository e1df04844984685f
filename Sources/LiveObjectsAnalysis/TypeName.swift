/// The name of a type as the runtime spells it, made readable and comparable.
package struct TypeName {
  /// The name without the parts that change from run to run.
  package let text: String

  package init(_ runtimeName: String) {
    text = Self.withoutPrivateContexts(runtimeName)
  }

  /// The type is nominal and comes from a module outside the toolchain.
  var isUserDefined: Bool {
    guard let module else { return false }
    return !SystemModules.contains(module)
  }

  /// The module of a nominal type; `nil` for tuples, functions and the like.
  ///
  /// A type nested in an extension belongs to the extension's module:
  /// `(extension in Demo):Swift.Array<Swift.Int>.Cache`.
  var module: Substring? {
    let start = "(extension in "
    if text.hasPrefix(start) { return text.dropFirst(start.count).prefix { $0 != ")" } }
    let module = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let isFollowedByName = text[module.endIndex...].first == "."
    return module.isEmpty || !isFollowedByName ? nil : module
  }

  /// The runtime names a private or local type by the address of its context, which is another in
  /// every run: `Demo.(unknown context at $55d0c8e08540).Cache` is `Demo.Cache` here.
  private static func withoutPrivateContexts(_ name: String) -> String {
    guard name.holds("(unknown context at ") else { return name }
    let parts = name.split(separator: "(unknown context at ", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
      text += part.drop { $0 != "." }.dropFirst()
    }
  }
}
