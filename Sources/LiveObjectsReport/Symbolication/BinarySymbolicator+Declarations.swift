import LiveObjectsAnalysis
import LiveObjectsCapture

extension BinarySymbolicator {
  /// Where a method is declared that has no parameters and no result.
  ///
  /// - Parameters:
  ///   - methods: their full names without parentheses, `Demo.LoaderTests.testLoad`; the first one that is there counts.
  ///   - image: the index of the image that may hold them.
  /// - Returns: `nil` where the image has no debug information for any of them.
  package func declaration(of methods: [String], in image: Int, of capture: Capture) -> SourceFrame? {
    guard let file = binary(of: capture.images[image]).flatMap(ELFFile.init(path:)) else { return nil }
    let addresses = Self.addresses(of: Set(methods), in: SymbolTable(of: file, .functions))
    guard let address = methods.lazy.compactMap({ addresses[$0] }).first else { return nil }
    // As if it were a return address: the call lies before it.
    let entry = Frame(image: image, offset: address + 1)
    let declaration = symbolicate([entry], of: capture)[entry]?.last
    return declaration.flatMap { $0.line == nil ? nil : $0 }
  }

  private static func addresses(of methods: Set<String>, in table: SymbolTable) -> [String: UInt64] {
    var addresses: [String: UInt64] = [:]
    for (address, symbol) in table.all where Mangling.isMethodWithoutParameters(symbol) {
      guard let name = demangle(symbol: symbol)?.split(separator: "(").first.map(String.init),
        methods.contains(name)
      else { continue }
      addresses[name] = address
    }
    return addresses
  }
}

/// What Swift's mangled names end with.
private enum Mangling {
  /// `() -> ()`, plain or throwing or asynchronous or both.
  private static let endings = ["yyF", "yyKF", "yyYaF", "yyYaKF"]

  static func isMethodWithoutParameters(_ symbol: String) -> Bool {
    symbol.hasPrefix("$s") && endings.contains(where: symbol.hasSuffix)
  }
}
