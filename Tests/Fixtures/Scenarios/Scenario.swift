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
      libraries, libraryHandlers, retains, dispatchWork, holders, growing, silence, large,
    ]
    return Array(themes.joined())
  }

  /// The names of those that test suites plant: all, or only the one that `SCENARIO` names.
  static var planted: [String] { getenv("SCENARIO").map { [String(cString: $0)] } ?? all.map(\.name) }

  /// For separate programs only.
  static var alone: [Scenario] { finishedWork + kernelWords + libraryThreads + blockedTasks }
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
