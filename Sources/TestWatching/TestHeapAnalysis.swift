package import LiveObjects
package import LiveObjectsAnalysis
package import LiveObjectsCapture
package import LiveObjectsSymbolication

/// The analysis of a heap capture for one test that has ended, the same as the report's.
///
/// All of it is the recorder's own work: call it inside `Recorder.ignoring`.
package struct TestHeapAnalysis {
  private let analysis: UnnamedAnalysis
  private let test: WatchedTest
  private let rule: FailureRule
  /// The findings that are not ignored, before functions have names. Names may only remove findings.
  private let suspects: [Finding]
  /// The retain cycles that nothing can release any more, whether they fail or not.
  private let certainLeaks: [Finding]
  /// Whether code may load a weak reference to a failure, and break its cycle.
  private let mayBreakCycle: Bool
  /// Whether it has no other holders than the objects of the test: only certain leaks are valid.
  private let isPartial: Bool
  /// Whether an object may be a leak: another look may decide it.
  private let isUndecided: Bool

  package var capture: Capture { analysis.capture }

  /// Searches for retain cycles among the objects reachable from those that a test left behind, without a scan
  /// of the whole heap.
  ///
  /// - Returns: an analysis with certain leaks, if there are any, and whether there are no other cycles.
  package static func cycles(
    of test: WatchedTest, by rule: FailureRule
  ) -> (analysis: TestHeapAnalysis?, isConclusive: Bool) {
    switch Recorder.capture(of: test.number) {
    case .clean: return (nil, true)
    case .inconclusive: return (nil, false)
    case .captured(let bytes):
      guard let capture = try? bytes.decoded() else { return (nil, false) }
      let analysis = TestHeapAnalysis(at: test, in: capture, by: rule)
      return (analysis.certainLeaks.isEmpty ? nil : analysis, !analysis.mayBreakCycle)
    }
  }

  /// Whether a scan of the whole heap takes many times as long as a search for cycles.
  package static var isHeapLarge: Bool {
    let status = LiveObjects.status
    return status.allocations - min(status.allocations, status.deallocations) > largeHeap
  }

  private static let largeHeap = 4096

  /// Scans the whole heap, unless something holds all objects and that fails no test. Allows one scan at a time: each
  /// takes memory for the whole heap.
  ///
  /// - Parameter survivors: what the test left behind; `nil` where that is not known.
  /// - Returns: the analysis, and whether nothing else remains to be evaluated; neither if there is no capture.
  package static func scan(
    of test: WatchedTest, leaving survivors: [Recorder.Instance]?, by rule: FailureRule
  ) -> (analysis: TestHeapAnalysis?, isHeld: Bool) {
    turn.withLock { _ in
      switch capture(of: test, leaving: survivors, by: rule) {
      case .clean: return (nil, true)
      case .inconclusive: return (nil, false)
      case .captured(let bytes):
        let capture = try? bytes.decoded()
        return (capture.map { TestHeapAnalysis(at: test, in: $0, by: rule) }, false)
      }
    }
  }

  private static func capture(
    of test: WatchedTest, leaving survivors: [Recorder.Instance]?, by rule: FailureRule
  ) -> Recorder.TestCapture {
    if let survivors, rule.allowsHeld { return Recorder.capture(of: test.number, unlessHeld: survivors) }
    return (try? Recorder.capture(since: 0, references: true)).map { .captured($0) } ?? .inconclusive
  }

  private static let turn = Locked(())

  private init(at test: WatchedTest, in capture: Capture, by rule: FailureRule) {
    analysis = UnnamedAnalysis(of: capture, options: test.options)
    (self.test, self.rule) = (test, rule)
    let isPartial = capture.graph?.status.isPartial == true
    self.isPartial = isPartial
    let findings = analysis.named(by: ImageNames()).findings
    let counted = findings.filter { rule.decision(on: $0, of: test.id) != .ignored }
    certainLeaks = findings.filter(\.isCertainLeak)
    suspects = isPartial ? counted.filter(\.isCertainLeak) : counted
    mayBreakCycle = counted.contains(where: \.mayBeReleased)
    isUndecided = !isPartial && findings.contains { $0.certainty == .undecided && !$0.isLibraryLeak }
  }

  /// Whether the result is still valid: all objects of its failures are alive, unreachable or held as before.
  /// Another scan could only show less, if a thread runs that did not run then.
  package func isValid(for survivors: [Recorder.Instance]) -> Bool {
    let alive = Set(survivors.lazy.map(\.identity))
    return isConclusive
      && suspects.allSatisfy { $0.members.allSatisfy { !$0.isCore || alive.contains(ObjectIdentity($0)) } }
  }

  /// Whether all references were read, and no running thread makes a difference.
  package var isConclusive: Bool { !isUndecided && !isPartial && capture.graph?.status.isEvaluated == true }

  /// Whether there is a retain cycle that nothing can release any more.
  package var hasCertainLeak: Bool { suspects.contains(where: \.isCertainLeak) }

  /// Whether there are failures, now or if their objects stay alive.
  package var hasSuspects: Bool { !suspects.isEmpty }

  /// Whether all objects are part of certain leaks: then nothing else in the heap makes a difference.
  package func explains(_ survivors: [Recorder.Instance]) -> Bool {
    let leaked = Set(certainLeaks.lazy.flatMap(\.members).map(ObjectIdentity.init))
    return survivors.allSatisfy { $0.isBuffer || leaked.contains($0.identity) }
  }

  /// Whether a failure may still be released, or is inconclusive.
  ///
  /// - Parameter symbolicator: used only where it may avoid a wait: names distinguish library leaks.
  package func maySettle(namedBy symbolicator: BinarySymbolicator) -> Bool {
    guard !isUndecided else { return true }
    guard !suspects.allSatisfy(\.isCertainLeak) else { return false }
    return !leaks(namedBy: symbolicator).allSatisfy(\.isCertainLeak)
  }

  /// The findings that are not ignored, with names.
  ///
  /// - Parameters:
  ///   - certainOnly: whether to leave out objects that may still be released.
  ///   - cleared: properties of the test case; findings about their objects mention them.
  ///   - entry: a frame to symbolicate in the same go, for its declaration.
  package func leaks(
    namedBy symbolicator: BinarySymbolicator, certainOnly: Bool = false, cleared: [ClearedProperty] = [],
    symbolicating entry: Frame? = nil
  ) -> [Finding] {
    guard hasSuspects else { return [] }
    symbolicator.prepare(analysis.frames.union(entry.map { [$0] } ?? []), of: capture)
    return analysis.named(by: symbolicator, after: Set(cleared.compactMap(\.subject))).findings
      .filter { rule.decision(on: $0, of: test.id, certainOnly: certainOnly || isPartial) != .ignored }
      .map { finding in
        var finding = finding
        let held = cleared.filter { finding.members.contains(where: $0.held) }
        finding.remarks.insert(contentsOf: held.map(\.remark), at: 0)
        return finding
      }
  }

  /// The first instruction of a test, by its possible names and an address in the image that holds its code.
  package func entry(of methods: [String], near address: UInt, namedBy symbolicator: BinarySymbolicator)
    -> Frame?
  {
    let image = capture.images.firstIndex { $0.addresses.contains(UInt64(address)) }
    return image.flatMap { symbolicator.entry(of: methods, in: $0, of: capture) }
  }
}

/// A stored property of a test case that held an object until the end of the test's body, and was cleared.
package struct ClearedProperty: Sendable {
  private let name: String
  private let owner: String
  private let address: ObjectAddress
  /// The object has a smaller sequence number: a younger one may have its address now.
  private let mark: UInt64

  /// - Parameters:
  ///   - word: the value of the property at the end of the body.
  ///   - mark: the recorder's sequence number at that time.
  package init(name: String, owner: String, word: UInt, mark: UInt64) {
    self.name = name
    self.owner = owner
    self.mark = mark
    address = ObjectAddress(UInt64(word))
  }

  /// The system under test, where the property has that name.
  var subject: ObjectAddress? { name == "sut" ? address : nil }

  func held(_ object: TestFinding.Object) -> Bool { object.address == address && object.sequence < mark }

  var remark: String { "`\(name)` of \(owner) was cleared, but the object that it held is still alive." }
}
