extension BinarySymbolicator {
  /// Gives partial applications and async function pointers the lines of their closures: a closure with captures
  /// is called through code without a line, and an asynchronous one through a variable.
  func locateClosures(among addresses: Set<CodeAddress>) {
    let unlocated = addresses.filter { address in
      !withoutSymbolizer.contains(address.binary) && closure(at: address) != nil
    }
    let closures = unlocated.reduce(into: [CodeAddress: CodeAddress]()) { closures, address in
      guard let start = closure(at: address).flatMap({ self.closures(in: address.binary)[$0] }) else {
        return
      }
      closures[address] = CodeAddress(binary: address.binary, address: start)
    }
    guard !closures.isEmpty, let symbolizer,
      let lines = try? symbolizer.symbolicate(Array(Set(closures.values)))
    else { return }
    for (address, closure) in closures {
      guard let line = lines[closure]?.last, let last = known[address]?.indices.last else { continue }
      (known[address]![last].file, known[address]![last].line) = (line.file, line.line)
    }
  }

  /// The symbol of the closure behind a name without a line; `nil` for all others.
  private func closure(at address: CodeAddress) -> String? {
    guard let line = known[address]?.last, line.line == nil else { return nil }
    return line.symbol.flatMap(Self.closure(behind:))
  }

  private static func closure(behind symbol: String) -> String? {
    var closure = symbol[...]
    if closure.hasSuffix("Tu") { closure.removeLast(2) }
    if closure.hasSuffix("TA") { closure.removeLast(2) }
    return closure == symbol ? nil : String(closure)
  }

  private func closures(in binary: String) -> [String: UInt64] {
    let known = closuresByBinary[binary] ?? Self.closures(in: binary)
    closuresByBinary[binary] = known
    return known
  }

  /// The addresses of all closures in a binary that such a name stands for, by symbol.
  private static func closures(in binary: String) -> [String: UInt64] {
    guard let file = ELFFile(path: binary) else { return [:] }
    let functions = SymbolTable(of: file, .functions)
    let names = [functions, SymbolTable(of: file, .variables)].flatMap {
      $0.all { closure(behind: $0) != nil }.lazy.compactMap { closure(behind: $0.name) }
    }
    let closures = functions.all(where: Set(names).contains).map { ($0.name, $0.address) }
    return Dictionary(closures) { _, last in last }
  }
}
