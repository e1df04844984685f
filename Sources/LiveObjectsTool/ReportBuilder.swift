import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSymbolication

/// Builds one report from many captures, of which only some have to be in memory at a time.
struct ReportBuilder {
  /// The number of objects for which captures wait for names: 100 MB, and hundreds of small captures. The
  /// symbolizer gets each request only once, so that more would not save much.
  private static let waitingObjectLimit = 200_000

  /// The analysed captures, without their objects.
  private(set) var captures: [Capture] = []
  /// The processes without a capture, a sentence each. Their objects are unknown, so a report with such a
  /// process is neither complete nor clean.
  private(set) var lost: [String] = []

  /// Of those captures that have names. All that captures without tests have in common is in the first of them.
  private var analyses: [Analysis] = []
  private var unnamed: [UnnamedAnalysis] = []
  private var waitingObjects = 0
  /// One for all: most processes of a run come from the same files.
  private let symbolicator: BinarySymbolicator
  private let frames = NamedFrames()

  /// - Parameters:
  ///   - binaries: a folder to search for the program's files.
  ///   - origin: of all captures that are added.
  init(binaries: String? = nil, origin: CaptureOrigin) {
    symbolicator = BinarySymbolicator(binaries: binaries, origin: origin)
  }

  /// Analyses a capture, but for names.
  static func analysis(of capture: Capture) -> UnnamedAnalysis {
    var options = Analysis.Options(baseline: capture.process.since)
    // For the JSON report.
    options.findsCallSitesOfTypes = true
    return UnnamedAnalysis(of: capture, options: options)
  }

  /// Adds a capture.
  ///
  /// - Parameter process: the name of its process; the default is its own.
  mutating func add(_ analysis: UnnamedAnalysis, of process: String? = nil) {
    let capture = analysis.capture
    if let end = capture.untimelyEnd(of: process ?? capture.process.label) { add(lost: end) }
    captures.append(capture.withoutObjects)
    unnamed.append(analysis)
    waitingObjects += capture.objects.count
    if waitingObjects > Self.waitingObjectLimit { nameAll() }
  }

  /// Names the frames of the captures that wait for it.
  private mutating func nameAll() {
    symbolicator.prepare(unnamed.map { ($0.frames, $0.capture) })
    analyses += unnamed.map { $0.named(by: symbolicator, sharing: frames) }
    unnamed = []
    waitingObjects = 0
    mergeServices()
  }

  /// A fleet has thousands of captures, which are alike.
  private mutating func mergeServices() {
    let services = captures.indices.filter { captures[$0].tests.isEmpty }
    guard let first = services.first else { return }
    var others = services.dropFirst().map { analyses[$0] }
    analyses[first].merge(&others)
    for (index, other) in zip(services.dropFirst(), others) { analyses[index] = other }
  }

  /// Notes about data that the user has switched off.
  private var choices: [String] {
    let isChosen = captures.contains { $0.tracking.state == .tracking && $0.graph == nil && !$0.isJournal }
    guard isChosen else { return [] }
    return ["References were not read (graph=off): leaks cannot be distinguished from growth."]
  }

  mutating func add(lost sentence: String) {
    lost.append(sentence)
  }

  /// The report on all that was added.
  ///
  /// - Parameter locatesTests: whether tests have the places of their declarations.
  func report(locatingTests locatesTests: Bool = false) -> Report {
    var named = self
    named.nameAll()
    var report = Report(
      of: zip(captures, named.analyses).map { (capture: $0, analysis: $1) },
      notes: lost + choices + symbolicator.notes)
    if locatesTests { TestPlaces(in: captures, by: symbolicator).add(to: &report.tests) }
    report.tracking.unwatchedProcesses += lost.count
    report.tracking.isComplete = report.tracking.isComplete && lost.isEmpty
    return report
  }
}

extension Capture {
  /// The parts of a capture that a report needs besides its findings: process, tracking status, tests, and
  /// what it says of objects without a readable type.
  fileprivate var withoutObjects: Capture {
    var capture = Capture(process: process, tracking: tracking)
    (capture.images, capture.tests) = (images, tests)
    (capture.listsTests, capture.isJournal) = (listsTests, isJournal)
    capture.objects = objectsOfUnreadableTypes
    if !capture.objects.isEmpty { capture.types = types }
    capture.graph = graph.map { HeapGraph(status: $0.status) }
    return capture
  }
}

/// The captures of one file, analysed, and what of the file could not be read.
private struct FileAnalysis: Sendable {
  var analyses: [UnnamedAnalysis] = []
  /// The bytes that the captures take.
  var size = 0
  /// What the process has done that the file is not a whole capture: `ended before it could report`.
  var lost: String?

  init(of file: String, in folder: CaptureFolder, isIncluded: (Capture) -> Bool) {
    do {
      let bytes = try folder.bytes(of: file)
      let readable = ReadableCaptures(in: bytes)
      analyses = readable.captures.filter(isIncluded).map(ReportBuilder.analysis(of:))
      size = readable.size
      if bytes.isEmpty {
        // Made when the process started, to be filled when it ends.
        lost = "ended before it could report"
      } else {
        lost = readable.failure.map { "left a capture that cannot be read: \($0)" }
      }
    } catch {
      lost = "left a capture that cannot be read: \(error)"
    }
  }
}

/// The captures in a folder, two of them read and analysed at a time.
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
    isIncluded: @escaping @Sendable (Capture) -> Bool = { _ in true },
    progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.folder = folder
    self.processes = processes
    files = folder.captures
    var pending: [Pending<FileAnalysis>] = []
    for (index, file) in files.enumerated() {
      progress(index, files.count)
      for file in files[(index + pending.count)...].prefix(Self.filesAtOnce - pending.count) {
        pending.append(Pending { FileAnalysis(of: file, in: folder, isIncluded: isIncluded) })
      }
      outcomes[file] = add(pending.removeFirst().value, of: file)
    }
  }

  /// Their objects are in memory.
  private static let filesAtOnce = 2

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

  private mutating func add(_ file: FileAnalysis, of name: String) -> Outcome {
    let (first, process) = (builder.captures.count, self.name(of: name))
    for analysis in file.analyses { builder.add(analysis, of: process) }
    let lost = file.lost.map { "\(process) \($0)" }
    if let lost { builder.add(lost: lost) }
    return Outcome(captures: Array(builder.captures[first...]), size: file.size, lost: lost)
  }
}

/// The declarations of XCTest's test methods, from debug information: captures contain those of Swift Testing only.
struct TestPlaces {
  private var places: [String: SourceFrame] = [:]

  init(in captures: [Capture], by symbolicator: BinarySymbolicator) {
    for capture in captures {
      let entries = Self.entries(of: capture, by: symbolicator)
      symbolicator.prepare(Set(entries.values), of: capture)
      for (id, entry) in entries { places[id] = symbolicator.declaration(at: entry, of: capture) }
    }
  }

  /// Adds the places to tests without one.
  func add(to tests: inout [Report.Test]) {
    for index in tests.indices where tests[index].file == nil {
      guard let place = places[tests[index].id] else { continue }
      (tests[index].file, tests[index].line) = (place.file, place.line)
    }
  }

  /// The first instruction of each test method, by the test's id.
  private static func entries(of capture: Capture, by symbolicator: BinarySymbolicator) -> [String: Frame] {
    guard let image = capture.images.firstIndex(where: { $0.path == capture.process.executable }) else {
      return [:]
    }
    let tests = Set(capture.tests.lazy.filter { $0.library == .xctest }.map(\.id))
    return tests.reduce(into: [:]) { entries, id in
      // `DemoTests.LoaderTests/testLoad` is the method `DemoTests.LoaderTests.testLoad`.
      let method = id.withDotsForSlashes
      entries[id] = symbolicator.entry(of: [method], in: image, of: capture)
    }
  }
}
