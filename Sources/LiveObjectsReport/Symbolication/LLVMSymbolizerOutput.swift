/// What `llvm-symbolizer --inlines --print-address` printed: for each address that was asked for, a
/// line with the address, then two lines a function (name, and `file:line:column`), then an empty one.
struct LLVMSymbolizerOutput {
  private let lines: [Substring]

  init(_ bytes: [UInt8]) {
    lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The functions at the addresses, which are in the order in which they were asked for.
  func lines(for addresses: [CodeAddress]) -> [CodeAddress: [LLVMSymbolizer.Line]] {
    var result: [CodeAddress: [LLVMSymbolizer.Line]] = [:]
    var rest = lines[...]
    for address in addresses {
      // Anything else than the address that comes next is noise, and skipped.
      let hexadecimal = address.hexadecimal
      guard let start = rest.firstIndex(where: { $0 == hexadecimal }) else { continue }
      let end = rest[start...].firstIndex(of: "") ?? rest.endIndex
      let functions = Self.functions(in: rest[(start + 1)..<end])
      if !functions.isEmpty { result[address] = functions }
      rest = rest[end...]
    }
    return result
  }

  private static func functions(in block: ArraySlice<Substring>) -> [LLVMSymbolizer.Line] {
    stride(from: block.startIndex, to: block.endIndex - 1, by: 2).compactMap { index in
      function(name: block[index], location: block[index + 1])
    }
  }

  private static func function(name: Substring, location: Substring) -> LLVMSymbolizer.Line? {
    let symbol = name == "??" ? nil : String(name)
    let parts = location.split(separator: ":", omittingEmptySubsequences: false)
    let line = parts.dropLast().last.flatMap { Int($0) } ?? 0
    let file = parts.dropLast(2).joined(separator: ":")
    let isFile = isSourceFile(file, isWithLine: line > 0)
    guard symbol != nil || isFile else { return nil }
    return .init(symbol: symbol, file: isFile ? file : nil, line: isFile && line > 0 ? line : nil)
  }

  /// A pseudo file such as `<compiler-generated>`, and line 0, mark what nobody wrote. Without debug
  /// information, the name is the symbol table's (`crtstuff.c`, `Demo.swift.o`): no folder and no line.
  private static func isSourceFile(_ file: String, isWithLine: Bool) -> Bool {
    guard !file.isEmpty, file != "??", !file.hasPrefix("<") else { return false }
    return isWithLine || file.contains("/")
  }
}
