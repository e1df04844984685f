import LiveObjectsCapture

/// Stack traces with names. Each source frame is kept once and known by its number, so that traces
/// are compared without comparing text.
struct NamedTraces {
  /// Numbers of source frames, innermost first.
  typealias Trace = [Int]

  private(set) var frames: [NamedFrame] = []
  private let traces: NumberedTraces
  /// The source frames of each frame: several where calls were inlined.
  private var names: [[Int]] = []

  /// Names these frames of the traces, in one go.
  init(
    _ traces: NumberedTraces, frames unnamed: Set<Frame>, of capture: Capture, symbolicator: some Symbolicator
  ) {
    self.traces = traces
    guard !unnamed.isEmpty else { return }
    let named = symbolicator.symbolicate(unnamed, of: capture)
    name(unnamed, named, of: capture)
  }

  /// Numbers the source frames in an order that is the same in every run.
  private mutating func name(_ unnamed: Set<Frame>, _ named: [Frame: [SourceFrame]], of capture: Capture) {
    let sources = traces.frames.map { frame -> [SourceFrame] in
      guard unnamed.contains(frame) else { return [] }
      let sources = named[frame] ?? [ImageNames.name(frame, of: capture)]
      return sources.map { $0.marked(unloaded: capture.unloadedLibrary(of: frame)) }
    }
    let sorted = Set(sources.joined()).sorted(by: SourceFrame.precedes)
    let numbers = Dictionary(uniqueKeysWithValues: zip(sorted, sorted.indices))
    names = sources.map { $0.compactMap { numbers[$0] } }
    frames = sorted.map(NamedFrame.init)
  }

  /// The frame that asked the runtime for the object; `nil` without a trace.
  func allocator(of id: UInt32) -> SourceFrame? {
    trace(id).lazy.map { frames[$0] }.first { !$0.isRuntimes }?.source
  }

  /// The test runner asked for the object, and no code that a person wrote: XCTest makes all test
  /// cases before the first test and keeps them until the process ends.
  func isTestRunnersOwn(_ id: UInt32) -> Bool {
    let trace = trace(id)
    return trace.contains { frames[$0].isTestRunners }
      && trace.allSatisfy { !frames[$0].isUsers || frames[$0].isCompilers }
  }

  /// The program asked for the object: by itself, through an initialiser of the type, or through the standard
  /// library, which makes its containers for others. What another library makes on the way is its own.
  func isMadeByUser(_ id: UInt32) -> Bool {
    let makers = trace(id).lazy.map { frames[$0] }.drop { $0.isRuntimes }
    let caller = makers.drop { !$0.isUsers && ($0.isInitializer || $0.isStandardLibrarys) }.first
    return caller.map { $0.isUsers } ?? false
      && makers.contains { $0.isUsers && !$0.isCompilers }
  }

  /// A trace as people read it: from the call site outwards. Without a frame in the program's own
  /// code it is kept as it is.
  func fromCallSite(_ id: UInt32) -> Trace {
    var trace = trace(id)
    while let last = trace.last, frames[last].isThreadStart { trace.removeLast() }
    guard let users = trace.firstIndex(where: { frames[$0].isUsers }) else { return trace }
    trace.removeFirst(users)
    let callers = trace.drop { frames[$0].isCompilers }
    return callers.first.map { frames[$0].isUsers } == true ? Array(callers) : trace
  }

  private func trace(_ id: UInt32) -> Trace {
    traces[id].flatMap { names.indices.contains($0) ? names[$0] : [] }
  }
}

extension Capture {
  fileprivate func unloadedLibrary(of frame: Frame) -> String? {
    let image = frame.image.flatMap { images.indices.contains($0) ? images[$0] : nil }
    return image.flatMap { $0.isUnloaded ? $0.name : nil }
  }
}

extension SourceFrame {
  fileprivate func marked(unloaded library: String?) -> SourceFrame {
    var frame = self
    frame.unloadedLibrary = library
    return frame
  }

  fileprivate static func precedes(_ a: SourceFrame, _ b: SourceFrame) -> Bool { a.order < b.order }

  /// Swift 6.0 needs to be told the type.
  private var order: (String, String, String, Int, Int, String) {
    (module, function ?? "", file ?? "", line ?? 0, isSystem ? 1 : 0, unloadedLibrary ?? "")
  }
}
