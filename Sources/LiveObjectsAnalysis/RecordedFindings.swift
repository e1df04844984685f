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
      guard let finding = Finding(content: recorded.content) else { continue }
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

/// A finding as a capture holds it: with its names, and without what the capture knows of its test and
/// objects.
extension Finding {
  /// The version of the encoding.
  private static let format: UInt32 = 7
  /// The last version without the types of call sites and of victims.
  private static let formatWithoutTypes: UInt32 = 6
  /// The last version without a second cycle.
  private static let formatWithoutOtherCycle: UInt32 = 5
  /// The last version that does not say which call sites are estimates.
  private static let formatWithoutEstimates: UInt32 = 4
  /// The last version without the bytes of call sites.
  private static let formatWithoutBytes: UInt32 = 3

  package var content: [UInt8] {
    ByteWriter.bytes {
      $0.u32(Self.format)
      $0.strings([fingerprint, verdict.rawValue, certainty.rawValue, kind.rawValue, type])
      $0.u32(isNamedByTest ? 1 : 0)
      $0.steps(path)
      $0.u32(UInt32(clamping: allocatedAt.count))
      for site in allocatedAt { $0.site([site.instances], site.frames) }
      $0.u32(UInt32(clamping: retainedAt.count))
      for site in retainedAt { $0.site([site.retains, site.releases], site.frames) }
      for count in [omittedCallSites, unexplainedRetains] { $0.u32(UInt32(clamping: count)) }
      $0.strings(remarks)
      $0.strings(hint.map { [$0.action.rawValue] } ?? [])
      $0.u32(UInt32(clamping: hint?.places.count ?? 0))
      for place in hint?.places ?? [] { $0.place(place) }
      for site in allocatedAt { $0.u64(site.bytes) }
      for site in allocatedAt { $0.u32(site.isEstimated ? 1 : 0) }
      $0.steps(otherCycle)
      for site in allocatedAt { $0.strings(site.types) }
      $0.strings(victimTypes)
    }
  }

  /// - Returns: `nil` for what another version has written, and what is damaged.
  package init?(content: [UInt8]) {
    let finding = content.withUnsafeBytes { bytes in
      var reader = ByteReader(file: bytes)
      return try? Finding(&reader)
    }
    guard let finding else { return nil }
    self = finding
  }

  private init?(_ reader: inout ByteReader) throws(CaptureError) {
    let format = try reader.u32()
    guard (Self.formatWithoutBytes...Self.format).contains(format) else { return nil }
    let names = try reader.strings()
    guard names.count == 5, names[0].isFingerprint, let verdict = Verdict(rawValue: names[1]),
      let certainty = Certainty(rawValue: names[2]), let kind = ObjectKind(rawValue: names[3])
    else { return nil }
    self.init(
      fingerprint: names[0], verdict: verdict, certainty: certainty, type: names[4], kind: kind, instances: 0,
      objects: 0, bytes: 0)
    isNamedByTest = try reader.u32() != 0
    path = try reader.steps()
    for _ in 0..<(try reader.u32()) {
      allocatedAt.append(CallSite(instances: try reader.count(), frames: try reader.frames()))
    }
    for _ in 0..<(try reader.u32()) {
      retainedAt.append(
        RetainingCallSite(
          retains: try reader.count(), releases: try reader.count(), frames: try reader.frames()))
    }
    omittedCallSites = try reader.count()
    unexplainedRetains = try reader.count()
    remarks = try reader.strings()
    let action = try reader.strings().first.flatMap(Hint.Action.init)
    var places: [Hint.Place] = []
    for _ in 0..<(try reader.u32()) { if let place = try reader.place() { places.append(place) } }
    if let action, !places.isEmpty { hint = Hint(action, at: places) }
    guard format > Self.formatWithoutBytes else { return }
    for index in allocatedAt.indices { allocatedAt[index].bytes = try reader.u64() }
    guard format > Self.formatWithoutEstimates else { return }
    for index in allocatedAt.indices { allocatedAt[index].isEstimated = try reader.u32() != 0 }
    guard format > Self.formatWithoutOtherCycle else { return }
    otherCycle = try reader.steps()
    guard format > Self.formatWithoutTypes else { return }
    for index in allocatedAt.indices { allocatedAt[index].types = try reader.strings() }
    victimTypes = try reader.strings()
  }
}

// MARK: - Parts

extension ByteWriter {
  fileprivate mutating func steps(_ path: [Finding.PathStep]) {
    u32(UInt32(clamping: path.count))
    for step in path { strings([step.type, step.reference]) }
  }

  fileprivate mutating func place(_ place: Finding.Hint.Place) {
    strings([place.kind.rawValue, place.name, place.captured ?? "", place.file ?? ""])
    u32(UInt32(clamping: place.line ?? 0))
  }

  fileprivate mutating func site(_ counts: [Int], _ frames: [SourceFrame]) {
    for count in counts { u32(UInt32(clamping: count)) }
    u32(UInt32(clamping: frames.count))
    for frame in frames {
      strings([frame.module, frame.function ?? "", frame.file ?? ""])
      u32(UInt32(clamping: frame.line ?? 0))
      u32(frame.isSystem ? 1 : 0)
    }
  }
}

extension ByteReader {
  fileprivate mutating func steps() throws(CaptureError) -> [Finding.PathStep] {
    var path: [Finding.PathStep] = []
    for _ in 0..<(try u32()) {
      let names = try strings() + ["", ""]
      path.append(Finding.PathStep(type: names[0], reference: names[1]))
    }
    return path
  }

  fileprivate mutating func place() throws(CaptureError) -> Finding.Hint.Place? {
    let names = try strings() + ["", "", "", ""]
    let line = try count()
    guard let kind = Finding.Hint.Place.Kind(rawValue: names[0]) else { return nil }
    return Finding.Hint.Place(
      kind: kind, name: names[1], captured: names[2].isEmpty ? nil : names[2],
      file: names[3].isEmpty ? nil : names[3], line: line == 0 ? nil : line)
  }

  fileprivate mutating func count() throws(CaptureError) -> Int { Int(try u32()) }

  fileprivate mutating func frames() throws(CaptureError) -> [SourceFrame] {
    var frames: [SourceFrame] = []
    for _ in 0..<(try u32()) { frames.append(try SourceFrame(&self)) }
    return frames
  }
}

extension SourceFrame {
  fileprivate init(_ reader: inout ByteReader) throws(CaptureError) {
    let names = try reader.strings() + ["", "", ""]
    let (line, flags) = (try reader.u32(), try reader.u32())
    self.init(
      function: names[1].isEmpty ? nil : names[1], module: names[0], file: names[2].isEmpty ? nil : names[2],
      line: line == 0 ? nil : Int(line), isSystem: flags & 1 != 0)
  }
}
