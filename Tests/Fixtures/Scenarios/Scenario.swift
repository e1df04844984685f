import Glibc

/// A program that leaks, or one that does not.
///
/// The planting functions are not optimised, because the optimiser removes a leak that it can prove
/// unused. The code under test, which they call, is.
struct Scenario: Sendable {
  var name: String
  var plant: @Sendable () -> Void

  init(_ name: String, _ plant: @escaping @Sendable () -> Void) {
    self.name = name
    self.plant = plant
  }

  static var all: [Scenario] {
    let themes: [[Scenario]] = [
      handlers, closures, fixes, objects, properties, values, collections, existentials, concurrency, tasks,
      observing,
      libraries, libraryHandlers, owned, retains, dispatchWork, holders, growing, silence, large,
    ]
    return Array(themes.joined())
  }

  /// The names of those that test suites plant: all, or only the one that `SCENARIO` names.
  static var planted: [String] { getenv("SCENARIO").map { [String(cString: $0)] } ?? all.map(\.name) }

  /// For separate programs only.
  static var alone: [Scenario] {
    finishedWork + kernelWords + hiddenPointers + formerAddresses + libraryThreads + blockedTasks
  }
}

/// Keeps the optimiser from knowing that a value is not used.
@inline(never) @_optimize(none)
func use<Value>(_ value: borrowing Value) {}

/// Clears the part of the stack below the caller, where a scan would find stale pointers.
@inline(never) @_optimize(none)
func overwriteStack() {
  withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { bytes in
    _ = memset(bytes.baseAddress!, 0, bytes.count)
  }
}

/// Waits until no other thread runs: what was started there has come to an end, or is suspended.
func waitUntilOthersSleep() {
  let (pause, most) = (UInt32(5_000), 2_000)
  var quiet = 0
  for _ in 0..<most where quiet < 4 {
    usleep(pause)
    quiet = otherThreadRuns() ? 0 : quiet + 1
  }
}

/// Whether a thread besides the calling one runs.
private func otherThreadRuns() -> Bool {
  guard let folder = opendir("/proc/self/task") else { return false }
  defer { closedir(folder) }
  var running = 0
  while let entry = readdir(folder) {
    let thread = withUnsafeBytes(of: &entry.pointee.d_name) {
      atoi($0.bindMemory(to: CChar.self).baseAddress!)
    }
    if thread > 0, state(ofThread: thread) == UInt8(ascii: "R") { running += 1 }
  }
  return running > 1
}

/// The letter behind the name, which is in parentheses.
private func state(ofThread thread: CInt) -> UInt8? {
  let file = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
  defer { close(file) }
  return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { bytes in
    let text = bytes.prefix(max(0, read(file, bytes.baseAddress, bytes.count)))
    return text.lastIndex(of: UInt8(ascii: ")")).flatMap { $0 + 2 < text.endIndex ? text[$0 + 2] : nil }
  }
}
