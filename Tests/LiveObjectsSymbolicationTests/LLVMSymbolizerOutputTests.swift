import Testing

@testable import LiveObjectsSymbolication

@Suite("Output of llvm-symbolizer")
struct LLVMSymbolizerOutputTests {
  private let addresses = [
    CodeAddress(binary: "/app", address: 0x10), CodeAddress(binary: "/app", address: 0x20),
    CodeAddress(binary: "/lib", address: 0x10),
  ]

  @Test("is read address by address, inlined functions first")
  func isReadByAddress() {
    let lines = lines(
      """
      0x10
      $s4Demo5innerF
        Filename: /src/demo.swift
        Function start filename: /src/demo.swift
        Function start line: 10
        Function start address: 0xc
        Line: 12
        Column: 3
      $s4Demo5outerF
        Filename: /src/demo.swift
        Line: 40
        Column: 9

      0x20
      ??
        Filename: ??
        Line: 0
        Column: 0

      0x10
      malloc
        Filename: ??
        Line: 0
        Column: 0


      """)
    #expect(
      lines[addresses[0]] == [
        .init(symbol: "$s4Demo5innerF", file: "/src/demo.swift", line: 12, declaration: 10),
        .init(symbol: "$s4Demo5outerF", file: "/src/demo.swift", line: 40),
      ])
    #expect(lines[addresses[1]] == nil)
    #expect(lines[addresses[2]] == [.init(symbol: "malloc")])
  }

  @Test("has no line if the compiler recorded none")
  func hasNoLineZero() {
    #expect(function("f", "/src/demo.swift", 0) == .init(symbol: "f", file: "/src/demo.swift"))
    #expect(function("f", "<compiler-generated>", 0) == .init(symbol: "f"))
  }

  @Test(
    "has the line of the declaration if there is no other",
    arguments: ["/src/demo.swift", "/<compiler-generated>"])
  func hasTheDeclaration(file: String) {
    let declaration = "  Function start filename: /src/demo.swift\n  Function start line: 7\n"
    let lines = lines("0x10\nf\n  Filename: \(file)\n\(declaration)  Line: 0\n  Column: 0\n\n")
    #expect(lines[addresses[0]] == [.init(symbol: "f", file: "/src/demo.swift", line: 7, declaration: 7)])
  }

  @Test(
    "has the line of the declaration where a function begins, not where it goes on after it has waited",
    arguments: [("$s4Demo1fyyF", 7), ("$s4Demo1fyyYaFTY0_", 9), ("$s4Demo1fyyYaFTQ12_", 9)])
  func hasTheDeclarationAtTheEntry(symbol: String, line: Int) {
    let lines = lines(
      "0x10\n\(symbol)\n  Filename: /src/demo.swift\n  Function start filename: /src/demo.swift\n"
        + "  Function start line: 7\n  Function start address: 0x10\n  Line: 9\n  Column: 3\n\n")
    #expect(
      lines[addresses[0]] == [
        .init(symbol: symbol, file: "/src/demo.swift", line: line, declaration: 7, isEntry: true)
      ])
  }

  @Test("has no line for generated functions, and for top-level code", arguments: ["f", "main"])
  func hasNoGeneratedDeclaration(name: String) {
    let start = name == "main" ? "/src/main.swift" : "/<compiler-generated>"
    let lines = lines(
      "0x10\n\(name)\n  Filename: \(start)\n  Function start filename: \(start)\n  Function start line: 1\n"
        + "  Line: 0\n  Column: 0\n\n")
    #expect(lines[addresses[0]] == [.init(symbol: name, file: start)])
  }

  @Test("has no file if only the symbol table names one", arguments: ["crtstuff.c", "Demo.swift.o"])
  func hasNoSymbolTableFile(name: String) {
    #expect(function("f", name, 0) == .init(symbol: "f"))
    #expect(function("f", name, 7)?.file == name)
  }

  @Test("may have colons in a file's name")
  func keepsColons() {
    #expect(function("f", "/a:b/c", 7)?.file == "/a:b/c")
  }

  @Test("is rejected unless it covers exactly the requested addresses")
  func rejectsOtherAddresses() {
    let answer =
      "0x10\nf\n  Filename: /a\n  Line: 1\n\n0x20\n??\n  Filename: ??\n  Line: 0\n\n0x10\ng\n  Filename: /b\n\n"
    #expect(read(answer, for: addresses)?.count == 2)
    for count in 0..<answer.utf8.count { #expect(read(String(answer.prefix(count)), for: addresses) == nil) }
    for noise in ["noise\n", "\n", "0x30\nh\n  Filename: /c\n\n"] {
      #expect(read(noise + answer, for: addresses) == nil)
      #expect(read(answer + noise, for: addresses) == nil)
    }
  }

  /// One function.
  private func function(_ name: String, _ file: String, _ line: Int) -> LLVMSymbolizer.Line? {
    lines("0x10\n\(name)\n  Filename: \(file)\n  Line: \(line)\n  Column: 1\n\n")[addresses[0]]?.first
  }

  /// What is said about the first addresses that it names.
  private func lines(_ output: String) -> [CodeAddress: [LLVMSymbolizer.Line]] {
    let count = output.split(separator: "\n").count { $0.hasPrefix("0x") }
    return read(output, for: Array(addresses.prefix(count))) ?? [:]
  }

  private func read(_ output: String, for addresses: [CodeAddress]) -> [CodeAddress: [LLVMSymbolizer.Line]]? {
    LLVMSymbolizerOutput(Array(output.utf8)).lines(for: addresses)
  }
}
