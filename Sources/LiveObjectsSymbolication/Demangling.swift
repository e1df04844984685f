import LiveObjectsSystem

/// The demangling of symbols, in this process or in another one.
package enum Demangling {
  #if os(Linux)
    /// Set before there are other threads, and used by the one that builds the report.
    nonisolated(unsafe) fileprivate static var process: DemanglingProcess?

    /// Isolates demangling in a process of its own, so that no symbol can take this process's memory or time:
    /// for readers of untrusted files.
    package static func isolate() { process = DemanglingProcess() }
  #else
    package static func isolate() {}
  #endif
}

/// A Swift symbol as text; `nil` if it is not one.
func demangle(symbol: String) -> String? { demangle(symbols: [symbol])[symbol] }

/// Swift symbols as text, by symbol; what is not one is missing.
func demangle(symbols: Set<String>) -> [String: String] {
  texts(of: symbols.filter { symbol in ["$s", "$S", "_$s", "_$S", "_T0"].contains(where: symbol.hasPrefix) })
}

/// A C++ symbol as text; `nil` if it is not one.
func demangle(itaniumSymbol symbol: String) -> String? {
  symbol.hasPrefix("_Z") ? texts(of: [symbol])[symbol] : nil
}

private func texts(of symbols: Set<String>) -> [String: String] {
  #if os(Linux)
    if let process = Demangling.process { return process.texts(of: symbols) }
  #endif
  return symbols.reduce(into: [:]) { texts, symbol in
    guard let text = demangled(symbol) else { return }
    defer { free(text) }
    texts[symbol] = String(cString: text)
  }
}

/// The name that a symbol stands for, to be freed by the caller. It may take all memory.
func demangled(_ symbol: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? {
  strncmp(symbol, "_Z", 2) == 0
    ? itaniumDemangle?(symbol, nil, nil, nil) : runtimeDemangle(symbol, strlen(symbol), nil, nil, 0)
}

/// The Swift runtime's own demangler. By name, because under `-static-stdlib` no dlsym finds it.
@_silgen_name("swift_demangle")
private func runtimeDemangle(
  _ mangled: UnsafePointer<CChar>?, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
  _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

private typealias ItaniumDemangle =
  @convention(c) (
    _ mangled: UnsafePointer<CChar>, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<Int>?, _ status: UnsafeMutablePointer<CInt>?
  ) -> UnsafeMutablePointer<CChar>?

/// The demangler of the C++ library that the Swift runtime uses; `nil` where that is linked statically.
private let itaniumDemangle = dlsym(nil, "__cxa_demangle").map {
  unsafeBitCast($0, to: ItaniumDemangle.self)
}

#if os(Linux)
  /// A child of this process that demangles symbols, within limits.
  ///
  /// A symbol of 200 bytes can stand for a name of a terabyte, as each of its parts may repeat the one before
  /// twice, and no demangler can be stopped. So symbols of untrusted files are demangled in a process that
  /// can be killed.
  final class DemanglingProcess {
    private static let timeout = Duration.seconds(1)
    private static let mostMemory: rlim_t = 1 << 28
    /// The limit of names; longer ones are unreadable.
    private static let longestName = 1 << 16
    /// The number of processes that symbols may end, after which no other is started.
    private static let processLimit = 4

    private var child: (socket: Socket, id: pid_t)?
    private var endedProcesses = 0

    deinit { end() }

    /// Asks about all symbols in one go, because each wait for the other process takes longer than its answer.
    ///
    /// - Returns: the names by symbol, without text that is no symbol and symbols with an excessive name.
    func texts(of symbols: Set<String>) -> [String: String] {
      var texts: [String: String] = [:]
      var rest = symbols.filter { !$0.utf8.contains(newline) }.sorted()[...]
      while !rest.isEmpty, endedProcesses < Self.processLimit, let socket = begun() {
        let answers = answers(to: rest, from: socket)
        for (symbol, answer) in zip(rest, answers) where !answer.isEmpty {
          texts[symbol] = String(decoding: answer, as: UTF8.self)
        }
        // The first symbol without an answer has ended the process.
        rest = rest.dropFirst(answers.count + 1)
      }
      return texts
    }

    /// - Returns: the answers in the order of the symbols; fewer if the process did not answer.
    private func answers(to symbols: ArraySlice<String>, from socket: Socket) -> [ArraySlice<UInt8>] {
      var questions = Array(symbols.joined(separator: "\n").utf8 + [newline])[...]
      var answers: [UInt8] = []
      var missing = symbols.count
      while missing > 0 {
        let known = answers.count
        guard case .progress = socket.exchange(&questions, &answers, timeout: Self.timeout) else {
          end()
          endedProcesses += 1
          break
        }
        missing -= answers[known...].count { $0 == newline }
      }
      return answers.split(separator: newline, omittingEmptySubsequences: false).dropLast()
    }

    private func begun() -> Socket? {
      if let child { return child.socket }
      guard let (own, its) = try? Socket.pair() else { return nil }
      defer { its.close() }
      let id = forkProcess()
      if id == 0 { Self.serve(its.descriptor, closing: own) }
      guard id > 0 else {
        own.close()
        return nil
      }
      child = (own, id)
      return own
    }

    private func end() {
      guard let child else { return }
      child.socket.close()
      kill(child.id, SIGKILL)
      while waitpid(child.id, nil, 0) < 0, errno == EINTR {}
      self.child = nil
    }

    /// Answers until the connection closes: each question is a line, and so is its answer, empty for no name.
    private static func serve(_ descriptor: CInt, closing other: Socket) -> Never {
      other.close()
      limitMemory()
      // A demangler that finds no memory says so.
      let null = open("/dev/null", O_WRONLY)
      for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(null, stream) }
      guard let questions = fdopen(descriptor, "r") else { _exit(1) }
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      while case let count = getline(&line, &capacity, questions), count > 0, let symbol = line {
        symbol[count - 1] = 0  // the end of the line
        answer(symbol, descriptor)
      }
      _exit(0)
    }

    /// Writes each answer at once: the first that is missing shows which symbol has ended the process.
    private static func answer(_ symbol: UnsafePointer<CChar>, _ descriptor: CInt) {
      let name = demangled(symbol)
      defer { free(name) }
      let text = UnsafeRawBufferPointer(start: name, count: name.map { strlen($0) } ?? 0)
      let isFit = text.count <= longestName && !text.contains(newline)
      guard writeAll((isFit ? Array(text) : []) + [newline], to: descriptor) else { _exit(0) }
    }

    /// Limits memory to this much more than the process has now; a crash leaves no core file.
    private static func limitMemory() {
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      guard let file = fopen("/proc/self/statm", "r") else { return }
      var line = [CChar](repeating: 0, count: 64)
      fgets(&line, CInt(line.count), file)
      let most = rlim_t(strtoul(line, nil, 10)) * rlim_t(getpagesize()) + mostMemory
      var limit = rlimit(rlim_cur: most, rlim_max: most)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
  }

  private let newline = UInt8(ascii: "\n")
#endif
