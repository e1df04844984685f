import LiveObjectsAnalysis

/// Call sites that share their first frame.
struct CallSiteGroup {
  private typealias Trace = (frames: [ShownFrame], instances: Int, types: [String])

  /// Frames that a group shows.
  private static let maximumShared = 4

  let instances: Int
  /// The types of the instances, sorted; empty where all call sites have the same one.
  let types: [String]
  /// Whether the numbers of instances are estimates.
  private let isEstimated: Bool
  /// The frames that all call sites have in common, innermost first.
  let frames: [ShownFrame]
  /// The callers where the call sites differ; most instances first.
  let callers: [Caller]

  typealias Caller = (frame: ShownFrame, instances: Int)

  /// `1,204 ×`, of an estimate `≈ 1,204 ×`
  var times: String { times(instances) }

  /// `5 × Pipeline`; without types `5 ×`
  var timesOfTypes: String { types.isEmpty ? times : "\(times) \(shownTypes)" }

  /// `Pipeline`, `[Item] and Box`, `Box and 2 more`
  var shownTypes: String {
    let names = types.map(\.withoutModules)
    return names.count > 2 ? "\(names[0]) and \(names.count - 1) more" : names.joined(separator: " and ")
  }

  /// The number of instances of a caller.
  func times(_ instances: Int) -> String { "\(isEstimated ? "≈ " : "")\(Count.grouped(instances)) ×" }

  /// Most instances first.
  static func groups(of sites: [Finding.CallSite]) -> [CallSiteGroup] {
    let hasTypes = Set(sites.lazy.flatMap(\.types)).count > 1
    let traces = located(
      sites.map { Trace(ShownFrame.frames(of: $0.frames), $0.instances, hasTypes ? $0.types : []) })
    let isEstimated = sites.contains(where: \.isEstimated)
    return Dictionary(grouping: traces, by: \.frames.first).values
      .map { CallSiteGroup($0, isEstimated: isEstimated) }
      .sorted { a, b in
        a.instances == b.instances ? a.frames.lexicographicallyPrecedes(b.frames) : a.instances > b.instances
      }
  }

  /// Gives a frame without a line the line of an equal frame, if there is only one such line.
  private static func located(_ traces: [Trace]) -> [Trace] {
    let lines = Dictionary(grouping: traces.compactMap(\.frames.first).filter(\.hasLine), by: \.withoutLine)
      .compactMapValues { Set($0).count == 1 ? $0[0] : nil }
    return traces.map { trace in
      guard let first = trace.frames.first, let frame = lines[first] else { return trace }
      return Trace([frame] + trace.frames.dropFirst(), trace.instances, trace.types)
    }
  }

  private init(_ traces: [Trace], isEstimated: Bool) {
    let shared = traces.dropFirst().reduce(traces[0].frames) { Self.commonStart($0, $1.frames) }
    instances = traces.reduce(0) { $0 + $1.instances }
    types = Set(traces.lazy.flatMap(\.types)).sorted()
    self.isEstimated = isEstimated
    frames = Array(shared.prefix(Self.maximumShared))
    callers = shared.count < Self.maximumShared ? Self.callers(traces, of: shared.count) : []
  }

  private static func commonStart(_ a: [ShownFrame], _ b: [ShownFrame]) -> [ShownFrame] {
    zip(a, b).prefix { $0 == $1 }.map(\.0)
  }

  /// The callers of the shared frames.
  private static func callers(_ traces: [Trace], of shared: Int) -> [Caller] {
    var instances: [ShownFrame: Int] = [:]
    for trace in traces {
      guard let caller = trace.frames.dropFirst(shared).first else { continue }
      instances[caller, default: 0] += trace.instances
    }
    return instances.map { Caller($0, $1) }.sorted { a, b in
      a.instances == b.instances ? a.frame < b.frame : a.instances > b.instances
    }
  }
}

/// A frame as a text report shows it. Two with equal text are equal.
struct ShownFrame: Hashable {
  let function: String
  /// `Loader.swift:23`, or less where less is known.
  let location: String

  /// A call without a recorded stack trace.
  static let unknown = ShownFrame(function: "(no stack trace)", location: "")

  var hasLine: Bool { location.contains(":") }
}

extension ShownFrame {
  init(_ frame: SourceFrame) {
    function = frame.function ?? "(no symbol) in \(frame.module)"
    let name = frame.file?.fileName ?? ""
    // `<compiler-generated>` is no file that a reader could open.
    let file = name.hasPrefix("<") ? "" : name
    location = frame.line.map { file.isEmpty ? "" : "\(file):\($0)" } ?? file
  }

  /// The frame without its line.
  var withoutLine: ShownFrame {
    ShownFrame(function: function, location: location.split(separator: ":").first.map(String.init) ?? "")
  }

  /// The frames of the program's own source code, innermost first; where there are none, all that a person wrote, or all.
  /// Callers without a place are left out: a reader could not open a protocol's witness.
  static func frames(of trace: [SourceFrame]) -> [ShownFrame] {
    let own = trace.filter(\.isOwn)
    let written = own.isEmpty ? trace.filter { !$0.isCompilerGenerated } : own
    let shown = (written.isEmpty ? trace : written).map(ShownFrame.init)
    return own.isEmpty ? shown : shown.prefix(1) + shown.dropFirst().filter { !$0.location.isEmpty }
  }
}

extension SourceFrame {
  /// Whether the frame is the program's own source code, as far as its place is known.
  var isOwn: Bool {
    isUserCode && !isCompilerGenerated && !isBareMain && file != nil
  }
}

extension ShownFrame: Comparable {
  static func < (a: ShownFrame, b: ShownFrame) -> Bool {
    (a.location, a.function) < (b.location, b.function)
  }
}
