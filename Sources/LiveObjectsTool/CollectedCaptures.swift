import LiveObjectsCapture

/// The captures in a folder, read and analysed one after the other.
struct CollectedCaptures {
  struct Outcome {
    /// The captures, without their objects.
    var captures: [Capture] = []
    /// The bytes that they take.
    var size = 0
    /// A sentence about a capture that is missing or incomplete.
    var lost: String?
  }

  private(set) var builder = ReportBuilder(origin: .ownRun)
  /// The files, in the order of processes.
  let files: [String]
  /// The outcome for each file.
  private(set) var outcomes: [String: Outcome] = [:]
  private let folder: CaptureFolder
  private let processes: [String: String]

  /// - Parameters:
  ///   - processes: the names of processes, by file; the default is the number.
  ///   - isIncluded: whether a capture counts.
  ///   - progress: called for every file.
  init(
    in folder: CaptureFolder, processes: [String: String] = [:],
    isIncluded: (Capture) -> Bool = { _ in true },
    progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.folder = folder
    self.processes = processes
    files = folder.captures
    for (index, file) in files.enumerated() {
      progress(index, files.count)
      outcomes[file] = add(file, isIncluded)
    }
  }

  /// The captures as they are, for a file of all.
  var streams: some Sequence<[UInt8]> {
    files.lazy.compactMap { [folder, outcomes] file in
      guard let outcome = outcomes[file], !outcome.captures.isEmpty else { return nil }
      return (try? folder.bytes(of: file)).map { Array($0.prefix(outcome.size)) }
    }
  }

  func warnAboutLeakSanitizer() {
    LeakSanitizer.warn(about: builder.captures, isComplete: builder.lost.isEmpty)
  }

  /// The name of the process that a file came from.
  func name(of file: String) -> String {
    processes[file] ?? "process \(CaptureFolder.processID(of: file))"
  }

  /// Counts a process that left no file at all.
  mutating func add(lost sentence: String) { builder.add(lost: sentence) }

  private mutating func add(_ file: String, _ isIncluded: (Capture) -> Bool) -> Outcome {
    let first = builder.captures.count
    var outcome = Outcome()
    do {
      let bytes = try folder.bytes(of: file)
      let readable = ReadableCaptures(in: bytes)
      for capture in readable.captures where isIncluded(capture) { builder.add(capture, of: name(of: file)) }
      outcome.captures = Array(builder.captures[first...])
      outcome.size = readable.size
      if bytes.isEmpty {
        // Made when the process started, to be filled when it ends.
        outcome.lost = "\(name(of: file)) ended before it could report"
      } else if let failure = readable.failure {
        outcome.lost = "\(name(of: file)) left a capture that cannot be read: \(failure)"
      }
    } catch {
      outcome.lost = "\(name(of: file)) left a capture that cannot be read: \(error)"
    }
    if let lost = outcome.lost { builder.add(lost: lost) }
    return outcome
  }
}
