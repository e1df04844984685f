import LiveObjectsCapture

extension BinarySymbolicator {
  /// Names variables from the symbol tables of the program's files. One without a symbol is named after its
  /// image: `global in libdemo.so`.
  public func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String] {
    var names: [Frame: String] = [:]
    for (index, variables) in Dictionary(grouping: variables, by: \.image) {
      guard let index, capture.images.indices.contains(index) else { continue }
      let image = capture.images[index]
      let known = binary(of: image).map { self.names(of: variables.map(\.offset), in: $0) } ?? [:]
      for variable in variables { names[variable] = known[variable.offset] ?? "global in \(image.name)" }
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
