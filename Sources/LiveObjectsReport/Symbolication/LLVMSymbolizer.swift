#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The `llvm-symbolizer` of this machine: one process for all addresses at once.
struct LLVMSymbolizer {
  let path: String
  var runner = ProgramRunner.child

  /// One function at an address, as the symbolizer prints it.
  struct Line: Hashable {
    /// Swift names are mangled; `nil` where no symbol is known.
    var symbol: String?
    var file: String?
    /// `nil` too where the compiler noted none. `--skip-line-zero` would give the line before, which may
    /// be another statement's, or the caller's of an inlined function.
    var line: Int?
  }

  struct Failure: Error {
    var reason: String
  }

  /// Names addresses.
  ///
  /// - Returns: the functions at each address, innermost first; an address is missing where the
  ///   symbolizer knows none.
  func symbolicate(_ addresses: [CodeAddress]) throws(Failure) -> [CodeAddress: [Line]] {
    let addresses = addresses.filter(\.canBeAskedFor).sorted()
    let input = addresses.map { "\"\($0.binary)\" \($0.hexadecimal)\n" }.joined()
    let (ending, output) = try run(input: input)
    // A host that takes every child's status leaves `unknown`; the output tells all the same.
    guard ending == .exited(0) || ending == .unknown else {
      throw Failure(reason: "it ended with \(ending)")
    }
    return LLVMSymbolizerOutput(output).lines(for: addresses)
  }

  private func run(input: String) throws(Failure) -> (ending: ChildProcess.Ending, output: [UInt8]) {
    do throws(SystemError) {
      let inputFile = try TemporaryFile()
      let outputFile = try TemporaryFile()
      try inputFile.write(input)
      let ending = try run(from: inputFile, to: outputFile)
      return (ending, outputFile.contents())
    } catch {
      throw Failure(reason: error.description)
    }
  }

  private func run(
    from input: TemporaryFile, to output: TemporaryFile
  ) throws(SystemError) -> ChildProcess.Ending {
    try runner.run(
      .init(
        path: path, arguments: ["--inlines", "--print-address"], input: input.descriptor,
        output: output.descriptor))
  }
}

extension ProgramRunner {
  /// As a child of this process.
  static let child = ProgramRunner { program throws(SystemError) in
    let null = try movingAboveStandardStreams(open("/dev/null", O_WRONLY | O_CLOEXEC))
    defer { close(null) }
    let child = try ChildProcess(
      program: program.path, arguments: program.arguments,
      environment: Environment.variables(without: unwantedVariables),
      streams: [0: program.input, 1: program.output, 2: null])
    return child.wait(until: .now + .seconds(120))
  }

  /// The child must not be watched itself, must not ask servers, and must print as agreed.
  private static let unwantedVariables = [
    "LD_PRELOAD", "LIVEOBJECTS_OPTIONS", "DEBUGINFOD_URLS", "LLVM_SYMBOLIZER_OPTS",
  ]
}

/// An instruction in a file, by its virtual address there.
struct CodeAddress: Hashable, Comparable {
  var binary: String
  var address: UInt64

  var hexadecimal: String { "0x" + String(address, radix: 16) }

  /// The symbolizer reads lines, with the file's name in quotes.
  var canBeAskedFor: Bool { !binary.utf8.contains { "\"\n\r".utf8.contains($0) } }

  static func < (left: Self, right: Self) -> Bool {
    (left.binary, left.address) < (right.binary, right.address)
  }
}
