/// The readable name of a global or static variable: `static Demo.Registry.shared`, `global Demo.cache`.
enum VariableName {
  /// - Returns: `nil` for symbols that are no variable of the program: metadata and the compiler's own
  ///   caches.
  static func text(of symbol: String) -> String? {
    guard ["$s", "$S", "_$s", "_$S"].contains(where: symbol.hasPrefix) else { return ofC(symbol) }
    guard let variable = variable(in: symbol), let demangled = demangle(symbol: variable) else { return nil }
    let name = FunctionName(demangled: demangled)
    guard let module = name.module else { return nil }
    let function = name.function.trimmingPrefix("static ")
    let isStatic = function.contains(".") || function.contains(" in ")
    return "\(isStatic ? "static" : "global") \(qualified(function, with: module))"
  }

  /// A compiler appends a number to the names of C's static variables inside of functions. A name with a
  /// space is the Swift compiler's own.
  private static func ofC(_ symbol: String) -> String? {
    symbol.isEmpty || symbol.contains(" ") ? nil : "global \(symbol.prefix { $0 != "." })"
  }

  /// The symbol of the variable itself. The optimiser also keeps an object as static data (`Tv_`), named
  /// after the function that initialises the variable (`WZ`): the variable's type is not in that name, so any
  /// will do.
  private static func variable(in symbol: String) -> String? {
    let symbol = symbol.replacing(/Tv[0-9]*_r?$/, with: "")
    if symbol.hasSuffix("vp") || symbol.hasSuffix("vpZ") { return symbol }
    guard symbol.hasSuffix("_WZ") || symbol.hasSuffix("_Wz") else { return nil }
    return symbol.dropLast("_WZ".count) + "SivpZ"
  }

  /// `local in Local #1 in f()` gives `local in Local #1 in Demo.f()`.
  private static func qualified(_ name: some StringProtocol, with module: String) -> String {
    let start = name.ranges(of: " in ").last?.upperBound ?? name.startIndex
    return name[..<start] + "\(module)." + name[start...]
  }
}
