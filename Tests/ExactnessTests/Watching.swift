import LiveObjectsCapture
import TestSupport
import Testing

/// Options with which the preload library watches a program.
struct Watching: Sendable, CustomTestStringConvertible {
  var hookMode: TrackingStatus.HookMode
  var hasStacks: Bool
  var countsRetains = false
  var sampleBytes = 0
  var budget = "0"

  static let all = [
    Watching(hookMode: .pointers, hasStacks: true),
    Watching(hookMode: .pointers, hasStacks: false),
    Watching(hookMode: .gotEntries, hasStacks: true),
    Watching(hookMode: .gotEntries, hasStacks: false),
  ]

  /// The defaults.
  static let asDefault = all[0]

  var options: String {
    "way=\(hookMode == .pointers ? "pointers" : "slots"):stacks=\(hasStacks ? "on" : "off"):retains=\(countsRetains ? "all" : "off"):sample=\(sampleBytes):budget=\(budget)"
  }
  var testDescription: String { options }
}

/// A program that ran under the preload library, and what that wrote.
struct WatchedRun {
  var program: ProgramRun
  /// One capture for each process that wrote one.
  var captures: [Capture]

  /// The capture, where exactly one process was to write one.
  var capture: Capture {
    get throws {
      try #require(captures.count == 1, "\(captures.count) captures; \(program.standardError)")
      return captures[0]
    }
  }

  /// - Parameter executable: a path, or the name of a fixture.
  init(
    _ executable: String, _ arguments: [String] = [], watching: Watching = .asDefault,
    environment: [String: String?] = [:]
  ) throws {
    let folder = try TemporaryFolder()
    let preload = [
      "LD_PRELOAD": BuiltProducts.preloadLibrary,
      "LIVEOBJECTS_OPTIONS": "output=\(folder.path("%p")):format=capture:\(watching.options)",
    ]
    program = try runProgram(
      path(of: executable), arguments, environment: environment.merging(preload) { $1 })
    captures = try folder.names().flatMap { name in
      // A program that ends before it can write a capture leaves an empty file.
      let bytes = try folder.bytes(of: name)
      return bytes.isEmpty ? [] : try ReadableCaptures(in: bytes).all()
    }
  }
}

/// Runs a program that is not tracked.
func runUnwatched(_ executable: String, _ arguments: [String] = []) throws -> ProgramRun {
  try runProgram(path(of: executable), arguments)
}

private func path(of executable: String) -> String {
  executable.contains("/") ? executable : BuiltProducts.executable(executable)
}
