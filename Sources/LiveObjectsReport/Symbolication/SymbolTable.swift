/// The functions or the variables of an ELF file by address.
struct SymbolTable {
  /// What symbols stand for, as the ELF specification numbers it.
  enum Kind: UInt8 {
    case variables = 1
    case functions = 2
  }

  /// The size of an entry in the ELF specification.
  private static let entrySize = 24

  private struct Symbol {
    var address: UInt64
    var size: UInt64
    var name: Int
  }
  /// Sorted by address.
  private var symbols: [Symbol] = []
  private var strings = LittleEndianBytes([])

  init(of file: ELFFile, _ kind: Kind) {
    let fullTable = file.sections.first { $0.type == ELFFile.SectionType.symbols }
    let exportedTable = file.sections.first { $0.type == ELFFile.SectionType.dynamicSymbols }
    guard let table = fullTable ?? exportedTable, file.sections.indices.contains(table.link),
      let entries = file.read(table.offset, table.size)
    else { return }
    let names = file.sections[table.link]
    guard let strings = file.read(names.offset, names.size) else { return }
    self.strings = strings
    symbols = stride(from: 0, to: entries.bytes.count, by: Self.entrySize)
      .compactMap { Self.symbol(in: entries, at: $0, kind) }
      .sorted { $0.address < $1.address }
  }

  /// The symbol of the function or variable that holds an address.
  func symbol(at address: UInt64) -> String? {
    var low = 0
    var high = symbols.count
    while low < high {
      let middle = (low + high) / 2
      if symbols[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let symbol = symbols[low - 1]
    guard symbol.size == 0 || address - symbol.address < symbol.size else { return nil }
    return strings.string(symbol.name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The addresses and names of all symbols, by address.
  var all: some Sequence<(address: UInt64, name: String)> {
    symbols.lazy.compactMap { symbol in strings.string(symbol.name).map { (symbol.address, $0) } }
  }

  private static func symbol(in entries: LittleEndianBytes, at offset: Int, _ kind: Kind) -> Symbol? {
    guard let name = entries.uint32(offset), let value = entries.uint64(offset + 8),
      let size = entries.uint64(offset + 16), entries.bytes[offset + 4] & 0xf == kind.rawValue, value != 0,
      // The linker's marks have no size, and variables always have one.
      size > 0 || kind == .functions
    else { return nil }
    return Symbol(address: value, size: size, name: Int(name))
  }
}
