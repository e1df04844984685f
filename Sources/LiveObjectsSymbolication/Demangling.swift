#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The demangling of symbols, in this process or in another one.
package enum Demangling {
  #if os(Linux)
    /// Set before there are other threads, and used by the one that builds the report.
    nonisolated(unsafe) fileprivate static var process: DemanglingProcess?

    /// Isolates demangling in a process of its own, so that no symbol can take this process's memory or time:
    /// for readers of untrusted files.
    package static func isolate() { process = DemanglingProcess() }
  #else
    package static func isolate() {}
  #endif
}

/// A Swift symbol as text; `nil` if it is not one.
func demangle(symbol: String) -> String? {
  ["$s", "$S", "_$s", "_$S", "_T0"].contains(where: symbol.hasPrefix) ? text(of: symbol) : nil
}

/// A C++ symbol as text; `nil` if it is not one.
func demangle(itaniumSymbol symbol: String) -> String? {
  symbol.hasPrefix("_Z") ? text(of: symbol) : nil
}

private func text(of symbol: String) -> String? {
  #if os(Linux)
    if let process = Demangling.process { return process.text(of: symbol) }
  #endif
  guard let text = demangled(symbol) else { return nil }
  defer { free(text) }
  return String(cString: text)
}

/// The name that a symbol stands for, to be freed by the caller. It may take all memory.
func demangled(_ symbol: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? {
  strncmp(symbol, "_Z", 2) == 0
    ? itaniumDemangle?(symbol, nil, nil, nil) : runtimeDemangle(symbol, strlen(symbol), nil, nil, 0)
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
