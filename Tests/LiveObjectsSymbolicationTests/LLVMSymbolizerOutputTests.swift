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
      /src/demo.swift:12:3
      $s4Demo5outerF
      /src/demo.swift:40:9 (approximate)

      0x20
      ??
      ??:0:0

      0x10
      malloc
      ??:0:0


      """)
    #expect(
      lines[addresses[0]] == [
        .init(symbol: "$s4Demo5innerF", file: "/src/demo.swift", line: 12),
        .init(symbol: "$s4Demo5outerF", file: "/src/demo.swift", line: 40),
      ])
    #expect(lines[addresses[1]] == nil)
    #expect(lines[addresses[2]] == [.init(symbol: "malloc")])
  }

  @Test("has no line if the compiler recorded none")
  func hasNoLineZero() {
    let unknownLine = lines("0x10\nf\n/src/demo.swift:0:0\n\n")
    #expect(unknownLine[addresses[0]] == [.init(symbol: "f", file: "/src/demo.swift")])
    #expect(lines("0x10\nf\n<compiler-generated>:0:0\n\n")[addresses[0]] == [.init(symbol: "f")])
  }

  @Test("has no file if only the symbol table names one", arguments: ["crtstuff.c", "Demo.swift.o"])
  func hasNoSymbolTableFile(name: String) {
    #expect(lines("0x10\nf\n\(name):0:0\n\n")[addresses[0]] == [.init(symbol: "f")])
    #expect(lines("0x10\nf\n\(name):7:1\n\n")[addresses[0]]?.first?.file == name)
  }

  @Test("may have colons in a file's name")
  func keepsColons() {
    #expect(lines("0x10\nf\n/a:b/c:7:1\n\n")[addresses[0]]?.first?.file == "/a:b/c")
  }

  @Test("is rejected unless it covers exactly the requested addresses")
  func rejectsOtherAddresses() {
    let answer = "0x10\nf\n/a:1:1\n\n0x20\n??\n??:0:0\n\n0x10\ng\n/b:2:1\n\n"
    #expect(read(answer, for: addresses)?.count == 2)
    for count in 0..<answer.utf8.count { #expect(read(String(answer.prefix(count)), for: addresses) == nil) }
    for noise in ["noise\n", "\n", "0x30\nh\n/c:1:1\n\n"] {
      #expect(read(noise + answer, for: addresses) == nil)
      #expect(read(answer + noise, for: addresses) == nil)
    }
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
