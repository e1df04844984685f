public import LiveObjectsAnalysis
internal import LiveObjectsCapture

extension LiveObjects {
  /// The objects that were allocated during a measurement and are still alive.
  ///
  /// Types and call sites are named when they are first used, which can take some tenths of a second.
  public struct Diff: Sendable {
    /// The live instances left behind; raw buffers count as such.
    public let instances: Int
    /// Requested bytes of the instances.
    public let bytes: UInt64
    /// Live instances that were allocated at the same time and cannot be attributed to the measurement or to
    /// other code: while tests run in parallel, those from dispatch queues and threads.
    public let unattributed: Int
    /// Live instances that the filter on types left out.
    let filteredOut: Int
    private let unknownTypes: [String]
    let explanation: Explanation
    /// Whether the body returned a value, which was alive when the objects were counted.
    private var followsValue = false

    init(_ survivors: Survivors) {
      instances = survivors.alive.count { _ in true }
      bytes = survivors.alive.reduce(0) { $0 &+ $1.bytes }
      unattributed = survivors.unattributed
      filteredOut = survivors.filteredOut
      unknownTypes = survivors.unknownTypes
      explanation = Explanation(of: survivors)
    }

    /// The diff of a body that returned a value.
    func followingValue() -> Diff {
      var diff = self
      diff.followsValue = true
      return diff
    }

    /// Whether no object was left behind, none escaped the recorder, and each filter is in the name of some type.
    public var isClean: Bool { instances == 0 && !isIncomplete && unknownTypes.isEmpty }

    /// Whether objects were not recorded.
    package var isIncomplete: Bool { explanation.isIncomplete }

    /// The reason why leaks could not be evaluated; `nil` if they were.
    package var evaluationFailure: String? { instances == 0 ? nil : explanation.evaluationFailure }

    /// The growth of every type, the largest first.
    public var types: [TypeGrowth] { explanation.analysis.types }

    /// The reasons why the instances are still alive: retain cycles and over-retained objects first, then
    /// held objects with their holders. See <doc:Explaining>.
    public var findings: [Finding] { explanation.analysis.findings }

    /// The calls that allocated the instances, most instances first.
    public var callSites: [CallSite] { explanation.callSites }

    /// The instances of a class that were left behind; those of its subclasses are not counted.
    public func instances(of type: AnyClass) -> Int { explanation.instances(of: type) }
  }

  /// A call that allocated some of the instances left behind.
  public struct CallSite: Sendable, Hashable {
    /// The type of the instances, module-qualified.
    public var type: String
    /// The number of instances that this call allocated.
    public var instances: Int
    /// The stack trace from the call outwards.
    public var frames: [SourceFrame]

    /// The function of the call; `nil` without a symbol.
    public var function: String? { frames.first?.function }
    /// The source file of the call.
    public var file: String? { frames.first?.file }
    /// The line of the call in its file.
    public var line: Int? { frames.first?.line }
  }
}

extension LiveObjects.Diff: CustomStringConvertible {
  /// A human-readable report: the objects left behind, their call sites, and the limits of the diff.
  public var description: String {
    explanation.text(notes: [valueNote, unattributedNote, filterNote].compactMap { $0 } + unknownTypeNotes)
  }

  /// Such objects have no holder that a report could name.
  private var valueNote: String? {
    followsValue && instances > 0
      ? "The value that the body returned is alive: objects that it holds are among those left behind." : nil
  }

  private var unattributedNote: String? {
    guard unattributed > 0 else { return nil }
    let objects = unattributed == 1 ? "object was" : "objects were"
    return "\(unattributed) more \(objects) allocated at the same time and cannot be attributed: "
      + "on a dispatch queue or a thread, while other tests ran."
  }

  private var unknownTypeNotes: [String] {
    unknownTypes.map {
      "`types` names \($0.debugDescription), which is in the name of no type of this process."
    }
  }

  /// A filter with a typing error would otherwise pass as code that leaves nothing behind.
  private var filterNote: String? {
    guard filteredOut > 0 else { return nil }
    let instances = filteredOut == 1 ? "instance was" : "instances were"
    return "\(filteredOut) more \(instances) left behind and not counted, since `types` does not name them."
  }
}
