import LiveObjectsCapture

/// The functions or the variables of an ELF file.
///
/// It is read once for all requested addresses, without being sorted: the libraries of the toolchain
/// have ten thousands of symbols, and a report requests few.
struct SymbolTable {
  /// The kinds of symbols, with the numbers of the ELF specification.
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
  private let kind: Kind
  private var entries = LittleEndianBytes([])
  private var strings = LittleEndianBytes([])

  init(of file: ELFFile, _ kind: Kind) {
    self.kind = kind
    let fullTable = file.sections.first { $0.type == ELFFile.SectionType.symbols }
    let exportedTable = file.sections.first { $0.type == ELFFile.SectionType.dynamicSymbols }
    guard let table = fullTable ?? exportedTable, file.sections.indices.contains(table.link),
      let entries = file.read(table.offset, table.size)
    else { return }
    let names = file.sections[table.link]
    guard let strings = file.read(names.offset, names.size) else { return }
    self.entries = entries
    self.strings = strings
  }

  /// The symbols of the functions or variables that hold addresses; an address that none holds is missing.
  func symbols(at addresses: some Sequence<UInt64>) -> [UInt64: String] {
    let addresses = Set(addresses).sorted()
    var found: [UInt64: String] = [:]
    for (address, symbol) in zip(addresses, lastSymbols(upTo: addresses)) {
      guard let symbol, symbol.size == 0 || address - symbol.address < symbol.size else { continue }
      found[address] = name(of: symbol)
    }
    return found
  }

  /// The addresses and names of all symbols.
  var all: some Sequence<(address: UInt64, name: String)> {
    everySymbol.lazy.compactMap { symbol in name(of: symbol).map { (symbol.address, $0) } }
  }

  /// The symbols whose names are wanted, up to a limit: those of a file that wants to take memory share long names.
  func all(where isWanted: @escaping (String) -> Bool) -> [(address: UInt64, name: String)] {
    var room = 64 << 20
    return Array(
      all.lazy.filter { isWanted($0.name) }
        .prefix { symbol in
          room -= symbol.name.utf8.count
          return room > 0
        })
  }

  /// The symbol for each of the ascending addresses, the one that begins there or last before it.
  private func lastSymbols(upTo addresses: [UInt64]) -> [Symbol?] {
    var last = [Symbol?](repeating: nil, count: addresses.count)
    for symbol in everySymbol {
      let index = addresses.partitionIndex { $0 >= symbol.address }
      if index < last.count, Self.comesBehind(symbol, last[index]) { last[index] = symbol }
    }
    for index in last.indices.dropFirst() where Self.comesBehind(last[index - 1], last[index]) {
      last[index] = last[index - 1]
    }
    return last
  }

  /// Whether a symbol replaces another one at its address: the last one of the largest size counts, as for
  /// llvm-symbolizer.
  private static func comesBehind(_ symbol: Symbol?, _ other: Symbol?) -> Bool {
    guard let symbol else { return false }
    guard let other else { return true }
    return (symbol.address, symbol.size) >= (other.address, other.size)
  }

  private var everySymbol: some Sequence<Symbol> {
    stride(from: 0, to: entries.bytes.count, by: Self.entrySize).lazy.compactMap { symbol(at: $0) }
  }

  private func name(of symbol: Symbol) -> String? {
    strings.string(symbol.name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func symbol(at offset: Int) -> Symbol? {
    guard let name = entries.uint32(offset), let value = entries.uint64(offset + 8),
      let size = entries.uint64(offset + 16), entries.bytes[offset + 4] & 0xf == kind.rawValue, value != 0,
      // The linker's marks have no size, and variables always have one.
      size > 0 || kind == .functions
    else { return nil }
    return Symbol(address: value, size: size, name: Int(name))
  }
}
