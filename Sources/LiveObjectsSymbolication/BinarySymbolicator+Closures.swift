extension BinarySymbolicator {
  /// Gives partial applications and async function pointers the lines of their closures: a closure with captures
  /// is called through code without a line, and an asynchronous one through a variable.
  func locateClosures(among addresses: Set<CodeAddress>) {
    let unlocated = addresses.filter { address in
      !withoutSymbolizer.contains(address.binary) && closure(at: address) != nil
    }
    let closures = Self.addresses(ofFunctionsAt: unlocated) { closure(at: $0) }
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
    guard let line = known[address]?.last, line.line == nil, var symbol = line.symbol?[...] else {
      return nil
    }
    let name = symbol
    if symbol.hasSuffix("Tu") { symbol.removeLast(2) }
    if symbol.hasSuffix("TA") { symbol.removeLast(2) }
    return symbol == name ? nil : String(symbol)
  }

  private static func addresses(
    ofFunctionsAt addresses: Set<CodeAddress>, named name: (CodeAddress) -> String?
  ) -> [CodeAddress: CodeAddress] {
    var found: [CodeAddress: CodeAddress] = [:]
    for (binary, addresses) in Dictionary(grouping: addresses, by: \.binary) {
      guard let file = ELFFile(path: binary) else { continue }
      let wanted = Dictionary(grouping: addresses) { name($0) ?? "" }
      for (start, symbol) in SymbolTable(of: file, .functions).all {
        for address in wanted[symbol] ?? [] { found[address] = CodeAddress(binary: binary, address: start) }
      }
    }
    return found
  }
}
