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
func demangle(symbol: String) -> String? {
  ["$s", "$S", "_$s", "_$S", "_T0"].contains(where: symbol.hasPrefix) ? text(of: symbol) : nil
}

/// A C++ symbol as text; `nil` if it is not one.
func demangle(itaniumSymbol symbol: String) -> String? {
  symbol.hasPrefix("_Z") ? text(of: symbol) : nil
}

private func text(of symbol: String) -> String? {
  #if os(Linux)
    if let process = Demangling.process { return process.text(of: symbol) }
  #endif
  guard let text = demangled(symbol) else { return nil }
  defer { free(text) }
  return String(cString: text)
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

    /// - Returns: `nil` for text that is no symbol, or a symbol with an excessive name.
    func text(of symbol: String) -> String? {
      guard endedProcesses < Self.processLimit, !symbol.utf8.contains(newline), let socket = begun() else {
        return nil
      }
      var question = Array(symbol.utf8 + [newline])[...]
      var answer: [UInt8] = []
      while answer.last != newline {
        guard case .progress = socket.exchange(&question, &answer, timeout: Self.timeout) else {
          end()
          endedProcesses += 1
          return nil
        }
      }
      return answer.count > 1 ? String(decoding: answer.dropLast(), as: UTF8.self) : nil
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
      var symbol: [CChar] = []
      var byte: CChar = 0
      while read(descriptor, &byte, 1) == 1 {
        guard byte == CChar(newline) else {
          symbol.append(byte)
          continue
        }
        answer(symbol + [0], descriptor)
        symbol = []
      }
      _exit(0)
    }

    private static func answer(_ symbol: [CChar], _ descriptor: CInt) {
      let name = demangled(symbol).map { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) } ?? []
      let isFit = name.count <= longestName && !name.contains(CChar(newline))
      let line = (isFit ? name : []).map(UInt8.init(bitPattern:)) + [newline]
      guard writeAll(line, to: descriptor) else { _exit(0) }
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
