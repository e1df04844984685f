import LiveObjectsCapture

/// The objects of a capture that are evaluated, and the tests that they are reported with.
struct AnalysisScope {
  let capture: Capture
  /// `nil` for a process that ran no tests, as far as the capture shows.
  let attribution: TestAttribution?
  /// Indices into `Capture.objects` of those that count; the others are there as holders only.
  let considered: [Int]?
  /// Objects with a smaller sequence number are not evaluated.
  let baseline: UInt64
  /// The sequence numbers at which measured runs began, ascending; empty for a single one.
  let runs: [UInt64]
  /// Findings that tests failed with before: their objects are not evaluated again.
  let recorded: RecordedFindings
  /// Whether findings list their objects.
  let namesMembers: Bool
  private let evaluatedTest: Int?
  /// The owner of each object; empty for a process that ran no tests.
  private let owners: [ObjectOwner]

  init(in capture: Capture, _ options: Analysis.Options) {
    self.capture = capture
    attribution = TestAttribution(of: capture, options)
    owners = attribution.map { capture.objects.map($0.owner) } ?? []
    evaluatedTest = options.test
    runs = options.runs
    recorded = RecordedFindings(in: capture, options)
    namesMembers = options.test != nil || options.objects != nil || options.baseline > 0
    if let test = options.test {
      // A test that the capture does not contain has allocated nothing in it.
      let description = capture.tests.indices.contains(test) ? capture.tests[test] : nil
      baseline = description?.sequenceNumbers.lowerBound ?? .max
      considered = description == nil ? [] : Self.objects(of: test, among: options.objects, owners)
    } else {
      (baseline, considered) = (options.baseline, options.objects)
    }
  }

  private static func objects(of test: Int, among objects: [Int]?, _ owners: [ObjectOwner]) -> [Int] {
    let owner = ObjectOwner(test: test)
    return objects.map { $0.filter { owners[$0] == owner } } ?? owners.indices.filter { owners[$0] == owner }
  }

  func owner(of object: Int) -> ObjectOwner { owners.isEmpty ? .unattributed : owners[object] }

  /// The owner that findings about an object are reported with: the first of all tests of the same name.
  func reportedOwner(of object: Int) -> ObjectOwner { reportedOwner(for: owner(of: object)) }

  func reportedOwner(for owner: ObjectOwner) -> ObjectOwner {
    attribution?.reportedOwner(for: owner) ?? .unattributed
  }

  /// The owner of objects by their stack traces, where no test is known: work on a dispatch queue or a thread
  /// of its own has no scope.
  ///
  /// - Returns: `nil` for objects of a test that is not accountable, which are not reported.
  func owner(
    _ owner: ObjectOwner, allocatedAt stackTraces: some Sequence<UInt32>, in traces: NamedTraces
  ) -> ObjectOwner? {
    guard owner.test == nil, evaluatedTest == nil, let attribution,
      let test = attribution.test(naming: stackTraces.lazy.flatMap(traces.functions(on:)))
    else { return owner }
    let found = ObjectOwner(test: test, isKnownIssue: owner.isKnownIssue)
    return attribution.isAccountable(found) ? found : nil
  }

  /// Whether objects of this owner are reported: unattributed ones are, and those of a test that is
  /// accountable.
  private func isReported(_ owner: ObjectOwner) -> Bool {
    guard let attribution else { return true }
    return owner.test == nil || attribution.isAccountable(owner)
  }

  /// By object: whether it is evaluated on its own.
  var counted: [Bool] {
    var counted = [Bool](repeating: considered == nil, count: capture.objects.count)
    for index in considered ?? [] { counted[index] = true }
    for index in counted.indices where counted[index] {
      counted[index] = capture.objects[index].sequence >= baseline && isReported(owner(of: index))
    }
    for index in recorded.objects { counted[index] = false }
    return counted
  }

  /// By object: whether it may hold others without being evaluated itself.
  ///
  /// Other tests run in parallel with the one that is evaluated; only objects from before it began are called
  /// older.
  var older: [Bool] {
    let considered = evaluatedTest == nil ? self.considered : nil
    var older = [Bool](repeating: considered != nil, count: capture.objects.count)
    for index in considered ?? [] { older[index] = false }
    for index in older.indices where capture.objects[index].sequence < baseline { older[index] = true }
    return older
  }
}

// MARK: - Leaks

extension AnalysisScope {
  /// The owner that a group of unreachable objects is reported with: the test that allocated the first object
  /// of its core, else the first of its victims, among the tests that are accountable.
  ///
  /// - Returns: `nil` for a group that is not reported.
  func owner(of group: LeakGroup, _ counted: [Bool]) -> ObjectOwner? {
    guard group.objects.contains(where: { counted[Int($0)] }) else { return nil }
    guard let attribution else { return .unattributed }
    let test = firstTest(of: group.core, attribution) ?? firstTest(of: group.victims, attribution)
    if test == nil, !group.core.allSatisfy({ owner(of: Int($0)).test == nil }) { return nil }
    let found = ObjectOwner(test: test, isKnownIssue: isKnownIssue(group.core))
    guard let evaluatedTest, test != nil else { return found }
    return found == ObjectOwner(test: evaluatedTest) ? found : nil
  }

  /// The test that allocated the oldest object for which a test is accountable.
  private func firstTest(of objects: [UInt32], _ attribution: TestAttribution) -> Int? {
    objects.lazy.map(Int.init).filter { attribution.isAccountable(owner(of: $0)) }
      .min { capture.objects[$0].sequence < capture.objects[$1].sequence }
      .flatMap { owner(of: $0).test }
  }

  /// A group is a known issue only if no object of another scope is part of it.
  private func isKnownIssue(_ objects: [UInt32]) -> Bool {
    let scoped = objects.lazy.map(Int.init).filter { capture.objects[$0].scope != 0 }
    return !scoped.isEmpty && scoped.allSatisfy { owner(of: $0).isKnownIssue }
  }
}
