import LiveObjectsCapture

extension BinarySymbolicator {
  /// Closures that are searched beyond their symbols, in one request.
  private static let mostClosures = 1 << 8

  /// Gives partial applications and async function pointers the lines of their closures: a closure with captures
  /// is called through code without a line, and an asynchronous one through a variable. Optimised, the closure may be
  /// inlined into that code, or be merged with an equal one, which leaves no debug information.
  func locateClosures(among addresses: Set<CodeAddress>) {
    let unlocated = addresses.filter { address in
      !withoutSymbolizer.contains(address.binary) && closure(at: address) != nil
    }
    guard !unlocated.isEmpty, let symbolizer else { return }
    locate(unlocated, asCalledBy: symbolizer)
    let entries = unlocated.filter { closure(at: $0) != nil && known[$0]?.last?.isEntry == true }
      .sorted().prefix(Self.mostClosures)
    locate(entries, inlinedBy: symbolizer)
    locate(entries.filter { closure(at: $0) != nil }, inSourceBy: symbolizer)
  }

  private func locate(_ addresses: Set<CodeAddress>, asCalledBy symbolizer: LLVMSymbolizer) {
    let closures = addresses.reduce(into: [CodeAddress: CodeAddress]()) { closures, address in
      guard let start = closure(at: address).flatMap({ self.closures(in: address.binary)[$0] }) else {
        return
      }
      closures[address] = CodeAddress(binary: address.binary, address: start)
    }
    guard let lines = try? symbolizer.symbolicate(Array(Set(closures.values))) else { return }
    for (address, closure) in closures {
      guard let line = lines[closure]?.last else { continue }
      setPlace(of: address, line.file, line.line)
    }
  }

  private func setPlace(of address: CodeAddress, _ file: String?, _ line: Int?) {
    guard let last = known[address]?.indices.last else { return }
    (known[address]![last].file, known[address]![last].line) = (file, line)
  }

  /// The symbol of the closure behind a name without a line; `nil` for all others.
  private func closure(at address: CodeAddress) -> String? {
    guard let line = known[address]?.last, line.line == nil else { return nil }
    return line.symbol.flatMap(Self.closure(behind:))
  }

  private static func closure(behind symbol: String) -> String? {
    // The compiler's number distinguishes copies.
    let name = Substring(symbol.utf8.prefix { $0 != UInt8(ascii: ".") })
    var closure = name
    if closure.hasSuffix("Tu") { closure.removeLast(2) }
    if closure.hasSuffix("TA") { closure.removeLast(2) }
    // A thunk between two representations of a function stands for no closure: XCTest's list of tests has one for each.
    return closure == name || closure.hasSuffix("TR") ? nil : String(closure)
  }

  private func closures(in binary: String) -> [String: UInt64] {
    let known = closuresByBinary[binary] ?? Self.closures(in: binary)
    closuresByBinary[binary] = known
    return known
  }

  /// The addresses of all closures in a binary that such a name stands for, by symbol.
  private static func closures(in binary: String) -> [String: UInt64] {
    guard let file = ELFFile(path: binary) else { return [:] }
    let functions = SymbolTable(of: file, .functions)
    let names = [functions, SymbolTable(of: file, .variables)].flatMap {
      $0.all { closure(behind: $0) != nil }.lazy.compactMap { closure(behind: $0.name) }
    }
    let closures = functions.all(where: Set(names).contains).map { ($0.name, $0.address) }
    return Dictionary(closures) { _, last in last }
  }
}

// MARK: - Inlined closures

extension BinarySymbolicator {
  /// The bytes of a partial application in which an inlined closure begins, if there is one.
  private static let mostBytes: UInt64 = 256
  /// Less than most instructions of a closure have.
  private static let step: UInt64 = 4

  private func locate(_ entries: ArraySlice<CodeAddress>, inlinedBy symbolizer: LLVMSymbolizer) {
    let offsets = stride(from: Self.step, to: Self.mostBytes, by: Int(Self.step))
    func probes(_ entry: CodeAddress) -> [CodeAddress] {
      offsets.map { CodeAddress(binary: entry.binary, address: entry.address &+ $0) }
    }
    guard let lines = try? symbolizer.symbolicate(Array(Set(entries.flatMap(probes)))) else { return }
    for entry in entries {
      let inlined = probes(entry).lazy.compactMap { lines[$0] }
        .prefix { [known] in $0.last?.symbol == known[entry]?.last?.symbol }.joined()
      let closure = closure(at: entry)
      if let own = inlined.first(where: { $0.symbol == closure && $0.declaration != nil }) {
        setPlace(of: entry, own.file, own.declaration)
      }
    }
  }
}

// MARK: - Closures in the source

extension BinarySymbolicator {
  /// A closure by its number in a function; the numbers of the closures around it come first.
  private struct NumberedClosure {
    var numbers: [Int]
    var function: String

    /// - Parameter name: `closure #1 in closure #2 in Loader.load()`. Implicit closures are none in the source, and do
    ///   not number those in them.
    init?(_ name: String) {
      var contexts = BracketedText(Array(name.utf8)[...]).split(at: " in ").map {
        String(decoding: $0, as: UTF8.self)
      }
      guard contexts.count > 1, contexts[0].hasPrefix(Self.closure) else { return nil }
      function = contexts.removeLast()
      let explicit = contexts.filter { !$0.hasPrefix("implicit " + Self.closure) }
      numbers = explicit.reversed().compactMap { Int($0.trimmingPrefix(Self.closure)) }
      if numbers.count < explicit.count || numbers.count > Self.mostNested { return nil }
    }

    private static let closure = "closure #"
    /// The source is read once for each level.
    private static let mostNested = 16
  }

  private func locate(_ entries: [CodeAddress], inSourceBy symbolizer: LLVMSymbolizer) {
    for (binary, entries) in Dictionary(grouping: entries, by: \.binary) {
      let symbols = Set(entries.compactMap { closure(at: $0) })
      let closures = demangle(symbols: symbols).compactMapValues {
        NumberedClosure(FunctionName(demangled: $0).function)
      }
      let functions = functions(around: closures, in: binary)
      guard let lines = try? symbolizer.symbolicate(Array(Set(functions.values))) else { continue }
      var sources: [String: ClosureSearch?] = [:]
      for entry in entries {
        guard let symbol = closure(at: entry), let closure = closures[symbol],
          let function = functions[symbol].flatMap({ lines[$0]?.last }), function.isEntry,
          let file = function.file, let declaration = function.declaration
        else { continue }
        let source = sources[file] ?? sourceText(ofFileAt: file).map(ClosureSearch.init)
        sources[file] = .some(source)
        let line = source?.line(ofClosure: closure.numbers, inFunctionAt: declaration)
        if let line { setPlace(of: entry, file, line) }
      }
    }
  }

  /// The functions that contain closures, by the symbols of those, which begin with the function's.
  private func functions(
    around closures: [String: NumberedClosure], in binary: String
  ) -> [String: CodeAddress] {
    guard !closures.isEmpty, let file = ELFFile(path: binary) else { return [:] }
    let sorted = closures.keys.sorted()
    let symbols = SymbolTable(of: file, .functions).all { name in
      let first = sorted.partitionIndex { $0 >= name }
      return first < sorted.count && sorted[first].hasPrefix(name)
    }
    let names = demangle(symbols: Set(symbols.map(\.name))).mapValues { FunctionName(demangled: $0).function }
    return closures.reduce(into: [:]) { functions, closure in
      let function = symbols.first {
        closure.key.hasPrefix($0.name) && names[$0.name] == closure.value.function
      }
      functions[closure.key] = function.map { CodeAddress(binary: binary, address: $0.address) }
    }
  }
}
