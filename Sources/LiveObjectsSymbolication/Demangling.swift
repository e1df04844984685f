import LiveObjectsSystem

/// The limit of names; longer ones are unreadable.
private let longestName = 1 << 16

/// A Swift symbol as text; `nil` if it is not one.
func demangle(symbol: String) -> String? { demangle(symbols: [symbol])[symbol] }

/// Swift symbols as text, by symbol; what is not one is missing.
func demangle(symbols: Set<String>) -> [String: String] {
  let swift = symbols.filter { symbol in ["$s", "$S", "_$s", "_$S", "_T0"].contains(where: symbol.hasPrefix) }
  return swift.reduce(into: [:]) { texts, symbol in
    texts[symbol] = text(of: runtimeDemangle(symbol, symbol.utf8.count, nil, nil, 0))
  }
}

/// A C++ symbol as text; `nil` if it is not one.
func demangle(itaniumSymbol symbol: String) -> String? {
  symbol.hasPrefix("_Z") ? text(of: itaniumDemangle?(symbol, nil, nil, nil)) : nil
}

private func text(of name: UnsafeMutablePointer<CChar>?) -> String? {
  guard let name else { return nil }
  defer { free(name) }
  return strlen(name) <= longestName ? String(cString: name) : nil
}

/// The Swift runtime's own demangler. By name, because under `-static-stdlib` no dlsym finds it.
@_silgen_name("swift_demangle")
private func runtimeDemangle(
  _ mangled: UnsafePointer<CChar>?, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
  _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

private typealias ItaniumDemangle =
  @convention(c) (
    _ mangled: UnsafePointer<CChar>, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<Int>?, _ status: UnsafeMutablePointer<CInt>?
  ) -> UnsafeMutablePointer<CChar>?

/// The demangler of the C++ library that the Swift runtime uses; `nil` where that is linked statically.
private let itaniumDemangle = dlsym(nil, "__cxa_demangle").map {
  unsafeBitCast($0, to: ItaniumDemangle.self)
}
