import LiveObjectsCapture

/// The captures in a folder, read and judged one after the other.
struct CollectedCaptures {
  enum Outcome {
    /// Without their objects.
    case read([Capture])
    /// Why there is no capture, a sentence about the process.
    case lost(String)
  }

  private(set) var builder = ReportBuilder(origin: .ownRun)
  /// In order.
  let files: [String]
  /// What became of each file.
  private(set) var outcomes: [String: Outcome] = [:]
  private let processes: [String: String]

  /// - Parameters:
  ///   - processes: what to call the process that a file came from, if not by its number.
  ///   - isIncluded: which captures count.
  ///   - progress: told of every file.
  init(
    in folder: CaptureFolder, processes: [String: String] = [:],
    isIncluded: (Capture) -> Bool = { _ in true },
    progress: (_ done: Int, _ all: Int) throws(ToolFailure) -> Void = { _, _ in }
  ) throws(ToolFailure) {
    self.processes = processes
    files = folder.captures
    Self.offerToEnd()
    for (index, file) in files.enumerated() {
      try progress(index, files.count)
      outcomes[file] = add(file, of: folder, isIncluded)
    }
  }

  /// The files that could be decoded, in order.
  var readable: [String] {
    files.filter { file in
      guard case .read(let captures) = outcomes[file] else { return false }
      return !captures.isEmpty
    }
  }

  func sayWhatBecameOfLeakSanitizer() {
    LeakSanitizer.sayWhatBecameOfIt(in: builder.captures, isComplete: builder.lost.isEmpty)
  }

  /// What to call the process that a file came from.
  func name(of file: String) -> String {
    processes[file] ?? "process \(CaptureFolder.processID(of: file))"
  }

  /// Counts a process that left no file at all.
  mutating func add(lost sentence: String) { builder.add(lost: sentence) }

  /// Reading captures takes memory, and the program has ended: where memory runs out, it is this process that the
  /// system is to end, and nobody else's.
  private static func offerToEnd() {
    try? OutputFile("/proc/self/oom_score_adj").write(Array("1000".utf8))
  }

  private mutating func add(
    _ file: String, of folder: CaptureFolder, _ isIncluded: (Capture) -> Bool
  ) -> Outcome {
    let first = builder.captures.count
    do {
      let bytes = try folder.bytes(of: file)
      // Made when the process started, to be filled when it ends.
      guard !bytes.isEmpty else { return lose("\(name(of: file)) ended before it could report") }
      for capture in try Capture.decodeAll(bytes) where isIncluded(capture) {
        builder.add(capture, of: name(of: file))
      }
    } catch {
      return lose("\(name(of: file)) left a capture that cannot be read: \(error)")
    }
    return .read(Array(builder.captures[first...]))
  }

  private mutating func lose(_ sentence: String) -> Outcome {
    builder.add(lost: sentence)
    return .lost(sentence)
  }
}
