public import LiveObjectsAnalysis
internal import LiveObjectsCapture

extension LiveObjects {
  /// The objects that were made during a measurement and are still alive.
  ///
  /// Types and call sites are named when they are first asked for, which can take some tenths of a second.
  public struct Diff: Sendable {
    /// The live instances left behind; raw buffers count as such.
    public let instances: Int
    /// Bytes asked for by the instances.
    public let bytes: UInt64
    /// Live instances made at the same time of which nobody knows whether they belong to the measurement:
    /// beside parallel tests, what was made on dispatch queues and threads.
    public let unattributed: Int
    /// Live instances that the filter on types left out.
    let filteredOut: Int
    let explanation: Explanation

    init(_ survivors: Survivors) {
      instances = survivors.alive.count { _ in true }
      bytes = survivors.alive.reduce(0) { $0 &+ $1.bytes }
      unattributed = survivors.unattributed
      filteredOut = survivors.filteredOut
      explanation = Explanation(of: survivors)
    }

    /// Nothing was left behind, and nothing escaped the recorder.
    public var isClean: Bool { instances == 0 && !isIncomplete }

    /// Some objects were not recorded, or none at all.
    package var isIncomplete: Bool { explanation.isIncomplete }

    /// Why what was left behind cannot be told from a leak; `nil` if it can.
    package var blindness: String? { instances == 0 ? nil : explanation.blindness }

    /// The growth of every type, the largest first.
    public var types: [TypeGrowth] { explanation.analysis.types }

    /// Why the instances are still alive: retain cycles and over-retained objects first, then what is held,
    /// and by whom. Beside ``types``, which counts, this explains. See <doc:Explaining>.
    public var findings: [Finding] { explanation.analysis.findings }

    /// The calls that made the instances, those that made most first.
    public var callSites: [CallSite] { explanation.callSites }

    /// The instances of a class that were left behind; those of its subclasses are not counted.
    public func instances(of type: AnyClass) -> Int { explanation.instances(of: type) }
  }
}
