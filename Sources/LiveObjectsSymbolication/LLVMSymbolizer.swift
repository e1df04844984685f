import LiveObjectsSystem

/// An `llvm-symbolizer`, which stays alive from the first question on: it takes about 0.1 s to read the
/// symbols of a large program, and microseconds for an address from then on.
///
/// A symbolizer that ends is started again once, and no more. It ends with this object, or with the process.
final class LLVMSymbolizer {
  let path: String
  private let environment: [String]
  private let timeout: Duration
  private var connection: HelperConnection?
  /// The files that it has read.
  private var versions: [String: FileVersion?] = [:]
  private var hasEndedBefore = false
  /// The reason why it is not used any more.
  private var failure: Failure?

  /// One function at an address, as the symbolizer prints it.
  struct Line: Hashable {
    /// Swift names are mangled; `nil` without a symbol.
    var symbol: String?
    var file: String?
    /// Where the compiler noted none, and at the beginning of a function, the line of its declaration: optimised, its first
    /// instruction may be of any statement. `--skip-line-zero` would give the line before, which may be another
    /// statement's, or the caller's of an inlined function.
    var line: Int?
    /// The line of the function's declaration, if it is in the file.
    var declaration: Int?
    /// Whether the function begins here.
    var isEntry = false
  }

  struct Failure: Error {
    var reason: String
  }

  /// - Parameter timeout: the time after which it is killed without an answer.
  init(path: String, environment: [String], timeout: Duration) {
    self.path = path
    self.environment = environment
    self.timeout = timeout
  }

  /// Names addresses.
  ///
  /// - Returns: the functions at each address, innermost first; an address is missing where the
  ///   symbolizer has none.
  func symbolicate(_ addresses: [CodeAddress]) throws(Failure) -> [CodeAddress: [Line]] {
    let addresses = addresses.filter(\.isQueryable).sorted()
    if addresses.isEmpty { return [:] }
    if let failure { throw failure }
    forgetReplacedFiles(among: addresses)
    let output = LLVMSymbolizerOutput(try answer(to: addresses))
    guard let lines = output.lines(for: addresses) else { throw giveUp("it answered something else") }
    return lines
  }

  /// Ends a symbolizer that has read files which were replaced since: a process may run on while its files
  /// are rebuilt.
  private func forgetReplacedFiles(among addresses: [CodeAddress]) {
    let binaries = Set(addresses.map(\.binary))
    let present = Dictionary(uniqueKeysWithValues: binaries.map { ($0, FileVersion(ofFileAt: $0)) })
    if present.contains(where: { binary, version in versions[binary].map { $0 != version } ?? false }) {
      connection = nil
      versions = [:]
    }
    versions.merge(present) { _, new in new }
  }

  private func answer(to addresses: [CodeAddress]) throws(Failure) -> [UInt8] {
    while true {
      let connection = try begun()
      do throws(HelperConnection.Failure) {
        return try connection.ask(addresses.map(\.question), timeout: timeout)
      } catch {
        switch error {
        case .ended(let ending):
          if hasEndedBefore { throw giveUp("it ended with \(ending)") }
          hasEndedBefore = true
          self.connection = nil
        case .hung: throw giveUp("it did not answer within \(timeout)")
        case .endless: throw giveUp("its answer did not end")
        }
      }
    }
  }

  private func begun() throws(Failure) -> HelperConnection {
    if let connection, connection.isOwn { return connection }
    do throws(SystemError) {
      let new = try HelperConnection(
        with: path, arguments: ["--inlines", "--print-address", "--verbose"], environment: environment)
      connection = new
      return new
    } catch {
      // Not final: a limit may be reached for the moment.
      throw Failure(reason: error.description)
    }
  }

  private func giveUp(_ reason: String) -> Failure {
    connection = nil
    let failure = Failure(reason: reason)
    self.failure = failure
    return failure
  }
}

/// An instruction in a file, by its virtual address there.
struct CodeAddress: Hashable, Comparable {
  var binary: String
  var address: UInt64

  var hexadecimal: String { "0x" + String(address, radix: 16) }

  /// The question in the syntax of the symbolizer.
  var question: String { "\"\(binary)\" \(hexadecimal)" }

  /// The symbolizer reads lines, with the file's name in quotes.
  var isQueryable: Bool { !binary.utf8.contains { "\"\n\r".utf8.contains($0) } }

  static func < (left: Self, right: Self) -> Bool {
    (left.binary, left.address) < (right.binary, right.address)
  }
}

/// The output of `llvm-symbolizer --inlines --print-address --verbose`: for each requested address, a line with
/// the address, then for each function its name and indented lines (`Filename: …`, `Line: …`), then an empty one.
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
      let functions = Self.functions(in: block.dropFirst(), at: address)
      if !functions.isEmpty { result[address] = functions }
    }
    return result
  }

  private static func functions(
    in block: ArraySlice<Substring>, at address: CodeAddress
  ) -> [LLVMSymbolizer.Line] {
    var functions: [LLVMSymbolizer.Line] = []
    var rest = block
    while let name = rest.popFirst() {
      let details = rest.prefix { $0.hasPrefix(indentation) }
      rest = rest.dropFirst(details.count)
      if let function = function(name, details, at: address) { functions.append(function) }
    }
    return functions
  }

  private static let indentation = "  "

  private static func function(
    _ name: Substring, _ details: ArraySlice<Substring>, at address: CodeAddress
  ) -> LLVMSymbolizer.Line? {
    func detail(_ key: String) -> Substring? {
      details.first { $0.hasPrefix(indentation + key) }?.dropFirst(indentation.count + key.count)
    }
    func line(_ key: String) -> Int? { detail(key).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
    let symbol = name == "??" ? nil : String(name)
    let isEntry = detail("Function start address: ").map { $0 == address.hexadecimal } ?? false
    var place = (file: detail("Filename: ") ?? "", line: line("Line: "))
    // The compiler calls the code of top-level statements `main`: it is declared nowhere.
    let start = symbol == "main" ? nil : detail("Function start filename: ")
    let declaration = start?.hasSuffix("<compiler-generated>") == false ? line("Function start line: ") : nil
    if let start, let declaration, place.line == nil || isEntry && !isContinuation(name) {
      place = (start, declaration)
    }
    let isFile = isSourceFile(place.file, isWithLine: place.line != nil)
    guard symbol != nil || isFile else { return nil }
    return .init(
      symbol: symbol, file: isFile ? String(place.file) : nil, line: isFile ? place.line : nil,
      declaration: isFile && place.file == start ? declaration : nil, isEntry: isEntry)
  }

  /// Whether an asynchronous function goes on there, which begins with the statement that it waited in.
  private static func isContinuation(_ symbol: Substring) -> Bool {
    guard symbol.last == "_" else { return false }
    let name = symbol.dropLast().utf8.reversed().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return ["YT", "QT"].contains { name.starts(with: $0.utf8) }
  }

  /// A pseudo file such as `<compiler-generated>`, and line 0, mark generated code. Without debug
  /// information, the name is the symbol table's (`crtstuff.c`, `Demo.swift.o`): no folder and no line.
  private static func isSourceFile(_ file: Substring, isWithLine: Bool) -> Bool {
    guard !file.isEmpty, file != "??", !file.hasPrefix("<") else { return false }
    return isWithLine || file.contains("/")
  }
}

/// The search for an llvm-symbolizer.
struct SymbolizerSearch {
  /// The folders to search, in order.
  var folders: [String]
}

extension SymbolizerSearch {
  /// The folders of `PATH`, and those of distributions, without relative ones: the current folder is
  /// untrusted.
  init() {
    let folders = (Environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/bin"]
    self.init(folders: folders.filter { $0.hasPrefix("/") })
  }

  /// - Parameter images: the files of a process that ran here; the toolchain whose libraries are among them
  ///   comes first, because its symbolizer knows the debug information that its compiler wrote. Never those
  ///   of an untrusted capture: the program that is found is executed.
  /// - Returns: the path.
  func symbolizer(forProcessWith images: [String]) -> String? {
    let toolchains = images.compactMap(Self.toolchain(ofLibrary:)) + compilerFolders
    let exact = (toolchains + folders).map { $0 + "/llvm-symbolizer" }
    return exact.first(where: Self.isExecutable) ?? versioned
  }

  /// `…/usr/lib/swift/linux/libswiftCore.so` is of the toolchain with `…/usr/bin`.
  private static func toolchain(ofLibrary path: String) -> String? {
    let suffix = "/lib/swift/linux/libswiftCore.so"
    return path.hasPrefix("/") && path.hasSuffix(suffix) ? path.dropLast(suffix.utf8.count) + "/bin" : nil
  }

  /// The folders of the compilers that are found, which are often links into the toolchain.
  private var compilerFolders: [String] {
    folders.flatMap { [$0 + "/swift", $0 + "/swiftc"] }
      .compactMap(\.resolvingLinks)
      .map(\.parentFolder)
  }

  /// Distributions name it after its version: `llvm-symbolizer-19`. The newest that is there.
  private var versioned: String? {
    (11...30).reversed().lazy
      .flatMap { version in folders.map { "\($0)/llvm-symbolizer-\(version)" } }
      .first(where: Self.isExecutable)
  }

  private static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}
