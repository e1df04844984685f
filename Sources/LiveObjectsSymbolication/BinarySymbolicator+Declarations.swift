import LiveObjectsAnalysis
import LiveObjectsCapture

extension BinarySymbolicator {
  /// The first instruction of a method that has no parameters and no result, as `declaration` takes it.
  ///
  /// - Parameters:
  ///   - methods: its possible full names without parentheses, `Demo.LoaderTests.testLoad`; the first one
  ///     counts that the image holds.
  ///   - image: the index of the image.
  package func entry(of methods: [String], in image: Int, of capture: Capture) -> Frame? {
    guard let binary = binary(of: capture.images[image]) else { return nil }
    let addresses = methodsByBinary[binary] ?? Self.methods(in: binary)
    methodsByBinary[binary] = addresses
    // Like a return address: the call lies before it.
    return methods.lazy.compactMap { addresses[$0] }.first.map { Frame(image: image, offset: $0 &+ 1) }
  }

  /// The declaration of a method.
  ///
  /// - Returns: `nil` where there is no debug information for it.
  package func declaration(at entry: Frame, of capture: Capture) -> SourceFrame? {
    let frame = symbolicate([entry], of: capture)[entry]?.last
    return frame.flatMap { $0.line == nil ? nil : $0 }
  }

  /// The addresses of all methods without parameters and results.
  private static func methods(in binary: String) -> [String: UInt64] {
    guard let file = ELFFile(path: binary) else { return [:] }
    var addresses: [String: UInt64] = [:]
    for (address, symbol) in SymbolTable(of: file, .functions).all
    where Mangling.isMethodWithoutParameters(symbol) {
      guard let name = demangle(symbol: symbol)?.split(separator: "(").first else { continue }
      addresses[String(name)] = address
    }
    return addresses
  }
}

/// The ends of Swift's mangled names.
private enum Mangling {
  /// `() -> ()`, plain or throwing or asynchronous or both.
  private static let endings = ["yyF", "yyKF", "yyYaF", "yyYaKF"]

  static func isMethodWithoutParameters(_ symbol: String) -> Bool {
    symbol.hasPrefix("$s") && endings.contains(where: symbol.hasSuffix)
  }
}
