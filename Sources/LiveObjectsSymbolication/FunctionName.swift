/// The readable name of a function, from its demangled symbol.
///
/// `Demo.Loader.load(completion: (Swift.String) -> ()) -> ()` is `Loader.load(completion:)` of module
/// `Demo`. Names that follow no known pattern stay as they are.
struct FunctionName: Hashable {
  var function: String
  /// The module; `nil` where the name does not contain it.
  var module: String?
  /// Whether the optimiser has merged equal functions under the name of any of them.
  var isMerged = false

  /// The limit of names; longer ones are unreadable, and each of the steps below scans all of the rest.
  private static let longestName = 1 << 13

  /// - Parameter demangled: the symbol as the Swift runtime demangles it.
  init(demangled: String) {
    guard demangled.utf8.count <= Self.longestName else {
      function = String(decoding: demangled.utf8.prefix(Self.longestName), as: UTF8.self)
      return
    }
    var text = Self.unwrappingPrivateNames(in: Array(demangled.utf8)[...])
    isMerged = text.starts(with: Self.mergedPrefix)
    text = Self.strippingWrappers(from: text)
    var parts: [String] = []
    for context in BracketedText(text).split(at: " in ") {
      let name = ContextName(context)
      module = name.module ?? module
      parts.append(name.text)
    }
    if module == nil, parts.count > 1, let last = parts.last, Self.isIdentifier(last) {
      // Code at the top level of a file: the outermost context is the module alone.
      module = parts.removeLast()
    }
    function = Self.withoutOuterImplicitClosures(parts).joined(separator: " in ")
    if function.isEmpty { function = demangled }
    if isMerged { function += " (or one merged with it)" }
  }

  /// A function of C or C++: as it is.
  init(undemangled symbol: String) { function = symbol }

  /// A reference to a method (`view.reload`) results in two closures, one inside of the other, that are not
  /// in the source: `implicit closure #2 in implicit closure #1 in f()` is `implicit closure #2 in f()`.
  private static func withoutOuterImplicitClosures(_ contexts: [String]) -> [String] {
    contexts.reduce(into: []) { kept, context in
      let isImplicit = context.hasPrefix(implicitClosure)
      if !isImplicit || kept.last?.hasPrefix(implicitClosure) != true { kept.append(context) }
    }
  }

  private static let implicitClosure = "implicit closure #"

  /// `(Cache in _8E34543FA00B3A97BCFBD7BFA4EE5AD5)` distinguishes a private `Cache` from others.
  private static func unwrappingPrivateNames(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let brackets = BracketedText(text)
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var position = text.startIndex
    while position < text.endIndex {
      if let closer = brackets.closer(ofBracketAt: position),
        let name = privateName(in: text[(position + 1)..<closer])
      {
        result += name
        position = closer + 1
      } else {
        result.append(text[position])
        position += 1
      }
    }
    return result[...]
  }

  private static func privateName(in bracketed: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let discriminator = " in _00000000000000000000000000000000".utf8.count
    let tail = bracketed.suffix(discriminator)
    guard tail.count == discriminator, tail.starts(with: " in _".utf8),
      tail.dropFirst(" in _".utf8.count).allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    return bracketed.dropLast(discriminator)
  }

  private static let mergedPrefix = Array("merged ".utf8)

  /// The prefixes of code that the compiler generates around a function.
  private static let wrappers = [
    "merged ", "partial apply forwarder for ", "partial apply for ", "async function pointer to ",
    "dispatch thunk of ", "curry thunk of ", "protocol witness for ", "await resume partial function for ",
    "suspend resume partial function for ", "@objc ", "@nonobjc ", "distributed thunk ",
  ].map { Array($0.utf8) }

  private static func strippingWrappers(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = BracketedText(text).split(at: " with unmangled suffix ")[0]
    text = BracketedText(text).split(at: " in conformance ")[0]
    while let rest = strippingOneWrapper(from: text), !rest.isEmpty { text = rest }
    return text
  }

  private static func strippingOneWrapper(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for wrapper in wrappers where text.starts(with: wrapper) {
      return text.dropFirst(wrapper.count)
    }
    if text.starts(with: "reabstraction thunk".utf8) {
      return text.count == "reabstraction thunk".utf8.count
        ? nil : text.prefix("reabstraction thunk".utf8.count)
    }
    return strippingResumeNumber(from: text) ?? strippingSpecialization(from: text)
  }

  /// `(1) await resume partial function for …`
  private static func strippingResumeNumber(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let rest = text.drop { "()0123456789".utf8.contains($0) }
    guard rest.startIndex > text.startIndex, rest.first == UInt8(ascii: " ") else { return nil }
    return rest.dropFirst()
  }

  /// `generic specialization <Swift.Int> of …`, and its many variants
  private static func strippingSpecialization(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let parts = BracketedText(text).split(at: " of ")
    guard parts.count > 1, parts[0].last == UInt8(ascii: ">"),
      String(decoding: parts[0], as: UTF8.self).contains("speciali")
    else { return nil }
    return text[parts[1].startIndex...]
  }

  private static func isIdentifier(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || byte >= 0x80 || Character(UnicodeScalar(byte)).isLetter
        || Character(UnicodeScalar(byte)).isNumber
    }
  }
}
