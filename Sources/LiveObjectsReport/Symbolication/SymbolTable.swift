/// The functions of an ELF file by address: what names a frame where no llvm-symbolizer is at hand.
struct SymbolTable {
  /// The size of an entry, and the type of those that are functions, in the ELF specification.
  private static let entrySize = 24
  private static let functionType: UInt8 = 2

  private struct Function {
    var address: UInt64
    var size: UInt64
    var name: Int
  }
  /// Sorted by address.
  private var functions: [Function] = []
  private var strings = LittleEndianBytes([])

  init(of file: ELFFile) {
    let fullTable = file.sections.first { $0.type == ELFFile.SectionType.symbols }
    let exportedTable = file.sections.first { $0.type == ELFFile.SectionType.dynamicSymbols }
    guard let table = fullTable ?? exportedTable, file.sections.indices.contains(table.link),
      let symbols = file.read(table.offset, table.size)
    else { return }
    let names = file.sections[table.link]
    guard let strings = file.read(names.offset, names.size) else { return }
    self.strings = strings
    functions = stride(from: 0, to: symbols.bytes.count, by: Self.entrySize)
      .compactMap { Self.function(in: symbols, at: $0) }
      .sorted { $0.address < $1.address }
  }

  /// The symbol of the function that holds an address.
  func symbol(at address: UInt64) -> String? {
    var low = 0
    var high = functions.count
    while low < high {
      let middle = (low + high) / 2
      if functions[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let function = functions[low - 1]
    guard function.size == 0 || address - function.address < function.size else { return nil }
    return strings.string(function.name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func function(in symbols: LittleEndianBytes, at offset: Int) -> Function? {
    guard let name = symbols.uint32(offset), let value = symbols.uint64(offset + 8),
      let size = symbols.uint64(offset + 16), symbols.bytes[offset + 4] & 0xf == functionType, value != 0
    else { return nil }
    return Function(address: value, size: size, name: Int(name))
  }
}
