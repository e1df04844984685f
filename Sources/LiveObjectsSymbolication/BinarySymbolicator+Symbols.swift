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
    return methods.lazy.compactMap { addresses[$0] }.first.map { Frame(entry: $0, of: image) }
  }

  /// The declaration of a method.
  ///
  /// - Returns: `nil` where there is no debug information for it.
  package func declaration(at entry: Frame, of capture: Capture) -> SourceFrame? {
    let frame = symbolicate([entry], of: capture)[entry]?.last
    return frame.flatMap { $0.line == nil ? nil : $0 }
  }

  /// The ends of the mangled names of methods `() -> ()`, plain or throwing or asynchronous or both.
  private static let methodEndings = ["yyF", "yyKF", "yyYaF", "yyYaKF"]

  /// The addresses of all methods without parameters and results.
  private static func methods(in binary: String) -> [String: UInt64] {
    guard let file = ELFFile(path: binary) else { return [:] }
    var addresses: [String: UInt64] = [:]
    for (address, symbol) in SymbolTable(of: file, .functions).all
    where symbol.hasPrefix("$s") && methodEndings.contains(where: symbol.hasSuffix) {
      guard let name = demangle(symbol: symbol)?.split(separator: "(").first else { continue }
      addresses[String(name)] = address
    }
    return addresses
  }
}

extension BinarySymbolicator {
  /// Names variables from the symbol tables of the program's files.
  public func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String] {
    var names: [Frame: String] = [:]
    for variables in Dictionary(grouping: variables, by: \.image).values {
      guard let image = capture.image(of: variables[0]) else { continue }
      let known = binary(of: image).map { self.names(of: variables.map(\.offset), in: $0) } ?? [:]
      for variable in variables { names[variable] = known[variable.offset] }
    }
    return names
  }

  /// Reads the symbol table only for variables that were not requested before.
  private func names(of offsets: [UInt64], in binary: String) -> [UInt64: String] {
    let addresses = offsets.map { CodeAddress(binary: binary, address: $0) }
    let unknown = addresses.filter { variables[$0] == nil }
    let file = unknown.isEmpty ? nil : ELFFile(path: binary)
    let symbols = file.map { SymbolTable(of: $0, .variables).symbols(at: unknown.map(\.address)) } ?? [:]
    for address in unknown {
      variables[address] = .some(symbols[address.address].flatMap(VariableName.text(of:)))
    }
    return addresses.reduce(into: [:]) { $0[$1.address] = variables[$1] ?? nil }
  }
}

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
    let start = name.end(ofLast: " in ") ?? name.startIndex
    return name[..<start] + "\(module)." + name[start...]
  }
}
