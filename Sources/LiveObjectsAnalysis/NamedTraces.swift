import LiveObjectsCapture

/// Stack traces with names. Each source frame is kept once and known by its number, so that traces
/// are compared without comparing text.
struct NamedTraces {
  /// Numbers of source frames, innermost first.
  typealias Trace = [Int]

  private(set) var frames: [SourceFrame] = []
  private var traces: [UInt32: Trace] = [:]

  /// Names all frames of these traces, in one go.
  init(_ ids: Set<UInt32>, of capture: Capture, symbolicator: some Symbolicator) {
    let unnamed = ids.reduce(into: Set<Frame>()) { $0.formUnion(capture.stackTraces[$1]) }
    guard !unnamed.isEmpty else { return }
    let named = symbolicator.symbolicate(unnamed, of: capture)
    let numbers = number(unnamed, named, of: capture)
    for id in ids { traces[id] = capture.stackTraces[id].flatMap { numbers[$0] ?? [] } }
  }

  /// Numbers the source frames in an order that is the same in every run.
  private mutating func number(
    _ unnamed: Set<Frame>, _ named: [Frame: [SourceFrame]], of capture: Capture
  ) -> [Frame: [Int]] {
    let names = unnamed.map { ($0, named[$0] ?? [ImageNames.name($0, of: capture)]) }
    frames = Set(names.flatMap(\.1)).sorted(by: SourceFrame.precedes)
    let numbers = Dictionary(uniqueKeysWithValues: zip(frames, frames.indices))
    return Dictionary(uniqueKeysWithValues: names.map { ($0, $1.compactMap { numbers[$0] }) })
  }

  /// The frame that asked the runtime for the object; `nil` without a trace.
  func allocator(of id: UInt32) -> SourceFrame? {
    traces[id]?.lazy.map { frames[$0] }.first { !$0.isRuntimes }
  }

  /// A trace as people read it: from the call site outwards. Without a frame in the program's own
  /// code it is kept as it is.
  func fromCallSite(_ id: UInt32) -> Trace {
    var trace = traces[id] ?? []
    while let last = trace.last, frames[last].isThreadStart { trace.removeLast() }
    guard let users = trace.firstIndex(where: { frames[$0].isUsers }) else { return trace }
    trace.removeFirst(users)
    let callers = trace.drop { frames[$0].isAllocatingInit }
    return callers.first.map { frames[$0].isUsers } == true ? Array(callers) : trace
  }
}

extension SourceFrame {
  fileprivate static func precedes(_ a: SourceFrame, _ b: SourceFrame) -> Bool {
    (a.module, a.function ?? "", a.file ?? "", a.line ?? 0, a.isSystem ? 1 : 0)
      < (b.module, b.function ?? "", b.file ?? "", b.line ?? 0, b.isSystem ? 1 : 0)
  }
}
