import LiveObjectsCapture

extension BinarySymbolicator {
  /// Names variables from the symbol tables of the program's files. One without a symbol is told by its image:
  /// `global in libdemo.so`.
  public func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String] {
    var names: [Frame: String] = [:]
    for (index, variables) in Dictionary(grouping: variables, by: \.image) {
      guard let index, capture.images.indices.contains(index) else { continue }
      let image = capture.images[index]
      let table = binary(of: image).flatMap(ELFFile.init(path:)).map { SymbolTable(of: $0, .variables) }
      for variable in variables {
        names[variable] =
          table?.symbol(at: variable.offset).flatMap(VariableName.text(of:)) ?? "global in \(image.name)"
      }
    }
    return names
  }
}
