import LiveObjectsCapture

/// The captures in a folder, read and judged one after the other.
struct CollectedCaptures {
  enum Outcome {
    case read([Capture])
    /// Why there is no capture, a sentence without its subject.
    case lost(String)
  }

  private(set) var builder = ReportBuilder()
  /// What became of each file, by name. The captures have lost their objects.
  private(set) var outcomes: [String: Outcome] = [:]
  /// The files that could be decoded, in order.
  private(set) var readable: [String] = []

  /// - Parameters:
  ///   - processes: what to call the process that a file came from, if not by its number.
  ///   - progress: told of every file.
  init(
    in folder: CaptureFolder, processes: [String: String] = [:],
    progress: (_ done: Int, _ all: Int) throws(ToolFailure) -> Void = { _, _ in }
  ) throws(ToolFailure) {
    let files = folder.captures
    for (index, file) in files.enumerated() {
      try progress(index, files.count)
      let outcome = add(file, of: folder)
      outcomes[file] = outcome
      if case .lost(let reason) = outcome {
        let process = processes[file] ?? "process \(CaptureFolder.processID(of: file))"
        builder.add(lost: "\(process) \(reason)")
      }
    }
  }

  private mutating func add(_ file: String, of folder: CaptureFolder) -> Outcome {
    do {
      let bytes = try folder.bytes(of: file)
      // Made when the process started, to be filled when it ends.
      guard !bytes.isEmpty else { return .lost("ended before it could report") }
      let first = builder.captures.count
      for capture in try Capture.decodeAll(bytes) { builder.add(capture) }
      readable.append(file)
      return .read(Array(builder.captures[first...]))
    } catch {
      return .lost("left a capture that cannot be read: \(error)")
    }
  }

  /// Counts a process that left no file at all.
  mutating func add(lost sentence: String) { builder.add(lost: sentence) }
}
