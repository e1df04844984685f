package import LiveObjects
package import LiveObjectsAnalysis
package import LiveObjectsCapture
package import LiveObjectsReport

/// What one look at the heap says about a test that has ended: by the same analysis as the report.
///
/// Everything here is our own work: call it inside `Recorder.ignoring`.
package struct TestLook {
  private let analysis: UnnamedAnalysis
  private let options: Analysis.Options
  private let failOn: FailOn
  /// What fails, as far as can be told without the names of functions. Names may only take findings away.
  private let suspects: [Finding]
  /// A thread that runs may hold what looks like growth, or it is over-retained.
  private let isUndecided: Bool

  private var capture: Capture { analysis.capture }

  /// What is known of retain cycles without a look at the whole heap.
  package enum Cycles {
    case none
    case shown(TestLook)
    /// There may be more than those that the look shows.
    case open(TestLook?)
  }

  /// Looks for retain cycles among what can be reached from what a test left behind. Of what the look shows, the
  /// certain leaks are to be believed, and nothing else.
  package static func cycles(of test: WatchedTest, failOn: FailOn) -> Cycles {
    switch test.remains {
    case .noCycle: return .none
    case .open: return .open(nil)
    case .captured(let bytes):
      guard let capture = try? bytes.decoded() else { return .open(nil) }
      let look = TestLook(at: test, in: capture, failOn: failOn)
      let shown = look.hasCertainLeak ? look : nil
      if look.suspects.contains(where: \.mayBeReleased) { return .open(shown) }
      return shown.map { .shown($0) } ?? .none
    }
  }

  /// Looks at the whole heap.
  ///
  /// - Parameter waits: for a moment in which no thread that runs may hold an object, if need be.
  /// - Throws: where the recorder cannot tell.
  package init(at test: WatchedTest, failOn: FailOn, waits: Bool) throws(LiveObjects.TrackingError) {
    let capture =
      waits
      ? try Recorder.settledGraph(since: 0) : try Recorder.capture(since: 0, references: true).decoded()
    self.init(at: test, in: capture, failOn: failOn)
  }

  private init(at test: WatchedTest, in capture: Capture, failOn: FailOn) {
    options = test.options
    analysis = UnnamedAnalysis(of: capture, options: options)
    self.failOn = failOn
    let findings = analysis.named(by: ImageNames()).findings
    suspects = findings.filter(failOn.includes)
    isUndecided =
      !capture.seesAllRegisters && findings.contains { $0.verdict == .growth && $0.unexplainedRetains > 0 }
  }

  package var objectCount: Int { capture.objects.count }

  /// What it shows is true as long as all that fails is alive: nothing could reach these objects, or the same holds them.
  /// Another look could only show less, where a thread runs that did not run then.
  package func stands(with survivors: [ObjectIdentity]) -> Bool {
    let alive = Set(survivors)
    return isConclusive
      && suspects.allSatisfy { $0.members.allSatisfy { !$0.isCore || alive.contains(ObjectIdentity($0)) } }
  }

  /// What refers to what was read, and no thread that runs makes a difference.
  package var isConclusive: Bool { !isUndecided && capture.graph?.status.wasRead == true }

  /// Something fails, now or if it is still there later.
  package var hasSuspects: Bool { !suspects.isEmpty }

  /// A retain cycle is shown: nothing can release it any more.
  package var hasCertainLeak: Bool { suspects.contains(where: \.isCertainLeak) }

  /// Something fails that may still be released, or cannot be told yet.
  ///
  /// - Parameter symbolicator: is asked only where it may spare a wait: names tell what is a library's own.
  package func maySettle(namedBy symbolicator: BinarySymbolicator) -> Bool {
    guard !isUndecided else { return true }
    guard !suspects.allSatisfy(\.isCertainLeak) else { return false }
    return !failures(namedBy: symbolicator).allSatisfy(\.isCertainLeak)
  }

  /// What fails, with names.
  ///
  /// - Parameters:
  ///   - certainOnly: leave out what may still be released.
  ///   - cleared: properties of the test case, which a finding about their objects then mentions.
  ///   - entry: is named in the same go, for `declaration`.
  package func failures(
    namedBy symbolicator: BinarySymbolicator, certainOnly: Bool = false, cleared: [ClearedProperty] = [],
    beside entry: Frame? = nil
  ) -> [Finding] {
    guard hasSuspects else { return [] }
    symbolicator.prepare(analysis.frames.union(entry.map { [$0] } ?? []), of: capture)
    let explained = explained(cleared, namedBy: symbolicator)
    return analysis.named(by: symbolicator).findings
      .filter { failOn.includes($0) && (!certainOnly || $0.isCertainLeak) }
      .map { finding in
        var finding = finding
        finding.remarks.insert(contentsOf: (explained[finding.fingerprint] ?? []).map(\.remark), at: 0)
        return finding
      }
  }

  /// Where the code of a test begins.
  ///
  /// - Parameters:
  ///   - methods: its possible names, as `BinarySymbolicator.entry` takes them.
  ///   - address: in the image that holds its code.
  package func entry(of methods: [String], near address: UInt, namedBy symbolicator: BinarySymbolicator)
    -> Frame?
  {
    let image = capture.images.firstIndex { $0.addresses.contains(UInt64(address)) }
    return image.flatMap { symbolicator.entry(of: methods, in: $0, of: capture) }
  }

  /// Where a test is declared whose code begins there.
  package func declaration(at entry: Frame, namedBy symbolicator: BinarySymbolicator) -> SourceFrame? {
    symbolicator.declaration(at: entry, of: capture)
  }

  /// Those of the properties whose object is still alive, by the fingerprint of the finding that is about it.
  private func explained(
    _ properties: [ClearedProperty], namedBy symbolicator: some Symbolicator
  ) -> [String: [ClearedProperty]] {
    var explained: [String: [ClearedProperty]] = [:]
    for property in properties {
      guard let object = capture.objects.firstIndex(where: property.held) else { continue }
      var options = options
      options.objects = [object]
      for finding in Analysis(of: capture, symbolicator: symbolicator, options: options).findings {
        explained[finding.fingerprint, default: []].append(property)
      }
    }
    return explained
  }
}

extension Finding {
  fileprivate var isCertainLeak: Bool {
    verdict == .retainCycle && certainty == .definite && !mayBeReleased
  }
}
