import LiveObjectsCapture

/// A source frame with its part in a stack trace, determined once for each frame.
struct NamedFrame {
  let source: SourceFrame
  let origin: FrameOrigin
  let isCompilerGenerated: Bool
  let isInitializer: Bool
  let qualifiedFunction: String

  init(_ source: SourceFrame) {
    self.source = source
    origin = source.origin
    isCompilerGenerated = source.isCompilerGenerated
    isInitializer = source.isInitializer
    qualifiedFunction = source.qualifiedFunction
  }

  /// Whether SwiftPM has checked out the package: it is no code of the program's own.
  var isCheckedOut: Bool { source.isCheckedOut }
}

/// The named frames of many captures: those of one program's processes are mostly the same, and a name is searched a
/// dozen times for its parts.
package final class NamedFrames {
  private var known: [SourceFrame: NamedFrame] = [:]

  package init() {}

  func named(_ source: SourceFrame) -> NamedFrame {
    if let frame = known[source] { return frame }
    let frame = NamedFrame(source)
    known[source] = frame
    return frame
  }
}

/// Stack traces with names. Each source frame is kept once and known by its number, so that traces
/// are compared without comparing text.
struct NamedTraces {
  /// Numbers of source frames, innermost first.
  typealias Trace = [Int]

  private(set) var frames: [NamedFrame] = []
  /// Whether only a sample of the objects has stack traces. Then traces show where objects were allocated, but do
  /// not name, group or attribute them: equal objects mostly have none, and are to be reported alike.
  let isSampled: Bool
  private let traces: NumberedTraces
  /// The source frames of each frame: several where calls were inlined.
  private var names: [[Int]] = []

  /// Names these frames of the traces, in one go.
  init(
    _ traces: NumberedTraces, frames unnamed: Set<Frame>, of capture: Capture,
    symbolicator: some Symbolicator, sharing shared: NamedFrames = NamedFrames()
  ) {
    self.traces = traces
    isSampled = capture.tracking.isSampled
    guard !unnamed.isEmpty else { return }
    let named = symbolicator.symbolicate(unnamed, of: capture)
    name(unnamed, named, of: capture, shared)
  }

  /// Numbers the source frames in an order that is the same in every run.
  private mutating func name(
    _ unnamed: Set<Frame>, _ named: [Frame: [SourceFrame]], of capture: Capture, _ shared: NamedFrames
  ) {
    var found = Numbering<SourceFrame>()
    let sources = traces.frames.map { frame -> [Int] in
      guard unnamed.contains(frame) else { return [] }
      return (named[frame] ?? [ImageNames.name(frame, of: capture)]).map { found.number(of: $0) }
    }
    let sorted = found.keys.indices.sorted { found.keys[$0].order < found.keys[$1].order }
    var numbers = Array(repeating: 0, count: sorted.count)
    for (number, index) in sorted.enumerated() { numbers[index] = number }
    names = sources.map { $0.map { numbers[$0] } }
    frames = sorted.map { shared.named(found.keys[$0]) }
  }

  /// The trace that may name, group or attribute the objects that have it; 0 for none.
  func identifying(_ id: UInt32) -> UInt32 { isSampled ? 0 : id }

  /// The frame that requested the object from the runtime; `nil` without a trace.
  func allocator(of id: UInt32) -> SourceFrame? {
    trace(id).lazy.map { frames[$0] }.first { $0.origin != .runtime }?.source
  }

  /// Whether the test runner allocated the object, without code that a person wrote: XCTest creates all test
  /// cases before the first test and keeps them until the process ends, and a task of Swift Testing has values for
  /// each test.
  func isAllocatedByTestRunner(_ id: UInt32) -> Bool {
    let trace = trace(identifying(id))
    return trace.contains { frames[$0].origin == .testRunner || frames[$0].source.module == "Testing" }
      && trace.allSatisfy { frames[$0].origin != .user || frames[$0].isCompilerGenerated }
  }

  /// Whether the program allocated the object: by itself, through an initialiser of the type, or through the
  /// standard library or a library of C, which allocate for their callers. Objects that another library allocates are
  /// its own.
  func isAllocatedByUser(_ id: UInt32) -> Bool {
    let allocators = trace(id).lazy.map { frames[$0] }.drop { $0.origin == .runtime }
    let caller = allocators.drop { frame in
      switch frame.origin {
      case .user: false
      case .standardLibrary, .runtime: true
      case .testRunner, .threadStart, .system: frame.isInitializer || frame.source.isOfCLibrary
      }
    }.first
    return caller?.origin == .user
      && allocators.contains { $0.origin == .user && !$0.isCompilerGenerated }
  }

  /// Whether the object was allocated when a static or global variable was first used, as part of its first
  /// value.
  ///
  /// - Parameter variable: the variable's name on a path: `static Demo.Registry.shared`, or of a local type
  ///   `static shared in Registry #1 in Demo.load()`.
  func isFirstValue(_ id: UInt32, of variable: String) -> Bool {
    trace(id).contains { frame in
      frames[frame].source.initializedVariable.map {
        variable.hasSuffix(".\($0)") || variable.hasPrefix("static \($0) in ")
      } ?? false
    }
  }

  /// Whether the initialiser of a test case allocated the object.
  func isMadeWithTestCase(_ id: UInt32) -> Bool {
    trace(id).contains { frames[$0].source.function?.hasSuffix(".init(name:testClosure:)") == true }
  }

  /// Whether a literal or an initialiser made the collection as it is: nothing was added to it later.
  func isMadeAtOnce(_ id: UInt32) -> Bool {
    let callees = trace(id).lazy.map { frames[$0] }.prefix { $0.origin != .user }
    guard let callee = callees.last(where: { $0.origin == .standardLibrary }) else { return true }
    return callee.isInitializer || callee.source.function?.hasPrefix("_allocateUninitializedArray") == true
  }

  /// Whether a function `makeSUT` of a test created the object.
  func isSystemUnderTest(_ id: UInt32) -> Bool {
    guard let caller = fromCallSite(id).first, let function = frames[caller].source.function else {
      return false
    }
    let name = function.prefix { $0 != "(" }
    return name.components.last?.lowercased() == "makesut"
  }

  /// The functions on a trace, with their modules; they may attribute its objects.
  func functions(on id: UInt32) -> some Sequence<String> {
    trace(identifying(id)).lazy.map { frames[$0].qualifiedFunction }
  }

  /// The trace from the call site outwards. A trace without a frame in the program's own code is kept as it
  /// is.
  func fromCallSite(_ id: UInt32) -> Trace {
    var trace = trace(id)
    while let last = trace.last, frames[last].origin == .threadStart { trace.removeLast() }
    guard let callSite = trace.firstIndex(where: { frames[$0].origin == .user }) else { return trace }
    trace.removeFirst(callSite)
    let callers = trace.drop { frames[$0].isCompilerGenerated }
    return callers.first.map { frames[$0].origin } == .user ? Array(callers) : trace
  }

  private func trace(_ id: UInt32) -> Trace {
    traces[id].flatMap { names.indices.contains($0) ? names[$0] : [] }
  }
}

extension SourceFrame {
  /// The sort key. Swift 6.0 needs the explicit type.
  fileprivate var order: (String, String, String, Int, Int) {
    (module, function ?? "", file ?? "", line ?? 0, isSystem ? 1 : 0)
  }
}

extension SourceFrame {
  /// Whether the frame's code is of a package that SwiftPM has checked out.
  var isCheckedOut: Bool { file?.holds("/checkouts/") == true }
}
