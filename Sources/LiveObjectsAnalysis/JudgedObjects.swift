import LiveObjectsCapture

/// Which objects of a capture are judged, and for which tests.
struct JudgedObjects {
  let capture: Capture
  /// `nil` for a process that ran no tests, as far as the capture tells.
  let attribution: TestAttribution?
  /// Indices into `Capture.objects` of those that count; the others are there as holders only.
  let considered: [Int]?
  /// Older objects are not judged.
  let baseline: UInt64
  /// What tests failed with before: their objects are not judged again.
  let recorded: RecordedFindings
  /// Findings name their objects.
  let namesMembers: Bool
  private let judgedTest: Int32?
  /// The test that made each object, or its stand-in; empty for a process that ran no tests.
  private let tests: [Int32]

  init(in capture: Capture, _ options: Analysis.Options) {
    self.capture = capture
    attribution = TestAttribution(of: capture, options)
    tests = attribution.map { capture.objects.map($0.test) } ?? []
    judgedTest = options.test.map(Int32.init)
    recorded = RecordedFindings(in: capture, options)
    namesMembers = options.test != nil || options.objects != nil || options.baseline > 0
    if let test = options.test {
      // A test that the capture does not know of has made nothing that it could tell.
      let known = capture.tests.indices.contains(test) ? capture.tests[test] : nil
      baseline = known?.sequenceNumbers.lowerBound ?? .max
      considered = known == nil ? [] : Self.objects(of: test, among: options.objects, tests)
    } else {
      (baseline, considered) = (options.baseline, options.objects)
    }
  }

  private static func objects(of test: Int, among objects: [Int]?, _ tests: [Int32]) -> [Int] {
    objects.map { $0.filter { tests[$0] == test } } ?? tests.indices.filter { tests[$0] == test }
  }

  /// The test that made an object, or its stand-in.
  func test(of object: Int) -> Int32 { tests.isEmpty ? TestAttribution.nobody : tests[object] }

  /// The test that findings of equally named tests are told with.
  func namesake(of test: Int32) -> Int32 { attribution?.namesake(of: test) ?? TestAttribution.nobody }

  /// What was left behind is told, be it nobody's or a test's that answers for it.
  func tells(of test: Int32) -> Bool {
    guard let attribution else { return true }
    return attribution.test(behind: test) < 0 || attribution.claims(test)
  }

  /// By object: whether it is judged on its own.
  var counted: [Bool] {
    var counted = [Bool](repeating: considered == nil, count: capture.objects.count)
    for index in considered ?? [] { counted[index] = true }
    for index in counted.indices where counted[index] {
      counted[index] = capture.objects[index].sequence >= baseline && tells(of: test(of: index))
    }
    for index in recorded.objects { counted[index] = false }
    return counted
  }

  /// By object: whether it may hold others without being judged itself.
  ///
  /// Beside a test that is judged run others; only what was there before it began is called older.
  var older: [Bool] {
    let considered = judgedTest == nil ? self.considered : nil
    var older = [Bool](repeating: considered != nil, count: capture.objects.count)
    for index in considered ?? [] { older[index] = false }
    for index in older.indices where capture.objects[index].sequence < baseline { older[index] = true }
    return older
  }
}

// MARK: - Leaks

extension JudgedObjects {
  /// The test that a group of unreachable objects is told with: the one that made the first object of its core,
  /// else the first of its victims, among the tests that answer for what they left behind; or that one's stand-in.
  ///
  /// - Returns: `nil` for a group that is not told.
  func owner(of group: LeakGroup, _ counted: [Bool]) -> Int32? {
    guard [group.core, group.victims].joined().contains(where: { counted[$0] }) else { return nil }
    guard let attribution else { return TestAttribution.nobody }
    let claimant = firstClaim(on: group.core, attribution) ?? firstClaim(on: group.victims, attribution)
    guard let test = claimant ?? (isNobodys(group.core, attribution) ? TestAttribution.nobody : nil) else {
      return nil
    }
    let owner = isKnown(group.core, attribution) ? attribution.standIn(for: test) : test
    return judgedTest == nil || claimant == nil || owner == judgedTest ? owner : nil
  }

  /// The test that made the oldest object for which a test answers.
  private func firstClaim(on objects: [Int], _ attribution: TestAttribution) -> Int32? {
    objects.lazy.filter { attribution.claims(test(of: $0)) }
      .min { capture.objects[$0].sequence < capture.objects[$1].sequence }
      .map { attribution.test(behind: test(of: $0)) }
  }

  private func isNobodys(_ objects: [Int], _ attribution: TestAttribution) -> Bool {
    objects.allSatisfy { attribution.test(behind: test(of: $0)) < 0 }
  }

  /// What is known is only known if nothing from another scope is part of it.
  private func isKnown(_ objects: [Int], _ attribution: TestAttribution) -> Bool {
    let scoped = objects.lazy.filter { capture.objects[$0].scope != 0 }
    return !scoped.isEmpty && scoped.allSatisfy { attribution.isStandIn(test(of: $0)) }
  }
}
