/// The output of `llvm-symbolizer --inlines --print-address`: for each requested address, a
/// line with the address, then two lines a function (name, and `file:line:column`), then an empty one.
struct LLVMSymbolizerOutput {
  /// The lines of each answer, without the empty one; and what came after the last.
  private let blocks: [ArraySlice<Substring>]

  init(_ bytes: [UInt8]) {
    blocks = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .split(separator: "", omittingEmptySubsequences: false)
  }

  /// The functions at the addresses, which are in the order of the request.
  ///
  /// - Returns: `nil` if it is about other addresses.
  func lines(for addresses: [CodeAddress]) -> [CodeAddress: [LLVMSymbolizer.Line]]? {
    let isComplete = blocks.last?.isEmpty ?? false
    guard isComplete, blocks.dropLast().map(\.first) == addresses.map({ Substring($0.hexadecimal) })
    else { return nil }
    var result: [CodeAddress: [LLVMSymbolizer.Line]] = [:]
    for (address, block) in zip(addresses, blocks) {
      let functions = Self.functions(in: block.dropFirst())
      if !functions.isEmpty { result[address] = functions }
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

  /// A pseudo file such as `<compiler-generated>`, and line 0, mark generated code. Without debug
  /// information, the name is the symbol table's (`crtstuff.c`, `Demo.swift.o`): no folder and no line.
  private static func isSourceFile(_ file: String, isWithLine: Bool) -> Bool {
    guard !file.isEmpty, file != "??", !file.hasPrefix("<") else { return false }
    return isWithLine || file.contains("/")
  }
}
