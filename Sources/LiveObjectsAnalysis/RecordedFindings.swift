import LiveObjectsCapture

/// The findings that tests failed with. They stay valid, whatever a later capture shows: fewer threads ran
/// then, and no later objects held them.
struct RecordedFindings {
  /// Findings with live objects; of a process that crashed, all.
  private(set) var findings: [Finding] = []
  /// Findings whose objects have all been deallocated since.
  private(set) var released: [Finding] = []
  /// Indices into `Capture.objects` of the objects that are alive.
  private(set) var objects: Set<Int> = []
  /// The live objects that are part of the leak, not victims.
  private(set) var core: [Int] = []

  /// - Parameter options: with a choice of objects, these are evaluated as they are now.
  init(in capture: Capture, _ options: Analysis.Options) {
    guard !capture.testFindings.isEmpty, options.objects == nil else { return }
    let indices = Self.indices(in: capture)
    for recorded in capture.testFindings {
      guard let finding = Finding(encoded: recorded.content) else { continue }
      let alive = recorded.objects.filter { capture.isJournal || indices[$0] != nil }
      for object in alive {
        guard let index = indices[object] else { continue }
        objects.insert(index)
        if object.isCore { core.append(index) }
      }
      if options.test == nil { add(finding, recorded, alive, capture.tests[recorded.test]) }
    }
  }

  private mutating func add(
    _ finding: Finding, _ recorded: TestFinding, _ alive: [TestFinding.Object], _ test: TestDescription
  ) {
    var finding = finding
    let instances = Set(alive.lazy.filter(\.isCore).map(\.instance))
    finding.count(instances.isEmpty ? recorded.objects : alive.filter { instances.contains($0.instance) })
    finding.test = test.id
    finding.testCase = test.testCase
    if instances.isEmpty { released.append(finding) } else { findings.append(finding) }
  }

  /// The identity of an object: another one may have been at its address before.
  private struct Identity: Hashable {
    var address: ObjectAddress
    var sequence: UInt64
  }

  /// The indices of live objects.
  private static func indices(in capture: Capture) -> [TestFinding.Object: Int] {
    let wanted = Set(capture.testFindings.lazy.flatMap(\.objects))
    let identities = Set(wanted.lazy.map { Identity(address: $0.address, sequence: $0.sequence) })
    var alive: [Identity: Int] = [:]
    for (index, object) in capture.objects.enumerated() where !object.isPinned {
      let identity = Identity(address: object.address, sequence: object.sequence)
      if identities.contains(identity) { alive[identity] = index }
    }
    return wanted.reduce(into: [:]) { indices, recorded in
      indices[recorded] = alive[Identity(address: recorded.address, sequence: recorded.sequence)]
    }
  }
}

extension Finding {
  fileprivate mutating func count(_ members: [TestFinding.Object]) {
    instances = Set(members.lazy.map(\.instance)).count
    objects = members.count
    victims = members.count { !$0.isCore }
    bytes = members.reduce(into: 0) { $0.add(saturating: $1.bytes) }
  }
}
