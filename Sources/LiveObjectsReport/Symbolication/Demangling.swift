#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The Swift runtime's own demangler. By name, because under `-static-stdlib` no dlsym finds it.
@_silgen_name("swift_demangle")
private func runtimeDemangle(
  _ mangled: UnsafePointer<CChar>?, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
  _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// A Swift symbol as text, by the runtime's demangler; `nil` if it is not one.
func demangle(symbol: String) -> String? {
  guard ["$s", "$S", "_$s", "_$S", "_T0"].contains(where: symbol.hasPrefix) else { return nil }
  guard let text = runtimeDemangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
  defer { free(text) }
  return String(cString: text)
}

private typealias ItaniumDemangle =
  @convention(c) (
    _ mangled: UnsafePointer<CChar>, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<Int>?, _ status: UnsafeMutablePointer<CInt>?
  ) -> UnsafeMutablePointer<CChar>?

/// Of the C++ library that the Swift runtime brings along; `nil` where that is linked statically.
private let itaniumDemangle = dlsym(nil, "__cxa_demangle").map {
  unsafeBitCast($0, to: ItaniumDemangle.self)
}

/// A C++ symbol as text; `nil` if it is not one.
func demangle(itaniumSymbol symbol: String) -> String? {
  guard symbol.hasPrefix("_Z"), let text = itaniumDemangle?(symbol, nil, nil, nil) else { return nil }
  defer { free(text) }
  return String(cString: text)
}
