#if canImport(XCTest) && os(Linux)
  internal import LeakAssertions
  internal import LiveObjects
  internal import XCTest
  internal import XCTestSupport

  /// An object that must be deallocated at the end of a test, with the place of the assertion.
  struct TrackedObject {
    let object: WatchedObject
    let place: Place

    /// The caller, or the caller of a helper.
    struct Place {
      let file: StaticString
      let line: UInt
    }

    init(_ object: WatchedObject, at place: Place) {
      self.object = object
      self.place = place
    }
  }

  extension TrackedObject.Place: Equatable {
    static func == (a: Self, b: Self) -> Bool { a.line == b.line && "\(a.file)" == "\(b.file)" }
  }

  /// The objects that the running tests track.
  final class TrackedObjects: Sendable {
    static let shared = TrackedObjects()

    private let objects = Locked<[ObjectIdentifier: [TrackedObject]]>([:])

    /// Called when a test begins, possibly with objects that its initializer tracks.
    func begin(_ test: XCTestCase) {
      if TestStopHook.isCustomRun(of: test) {
        // The last teardown block is as late as objects of such a test can be checked. XCTest ends the process if
        // one is added after they have run, as by a call in `tearDown()`.
        objects.withLock { $0[ObjectIdentifier(test), default: []] += [] }
        test.addTeardownBlock { [unowned test] in self.check(at: test) }
      } else if objects.withLock({ $0[ObjectIdentifier(test)] != nil }) {
        _ = TestStopHook.register(for: test, handler: check(at:))
      }
    }

    /// Asynchronous tests run on other threads than the end of the test.
    ///
    /// - Returns: whether the object will be checked; `false` after the teardown blocks of a test whose run is of
    ///   the user's own class.
    func add(_ object: TrackedObject, of test: XCTestCase) -> Bool {
      objects.withLock { objects in
        guard
          objects[ObjectIdentifier(test)] != nil || test.testRun == nil
            || TestStopHook.register(for: test, handler: check(at:))
        else { return false }
        objects[ObjectIdentifier(test), default: []].append(object)
        return true
      }
    }

    /// The test is over: fails it for what is still alive.
    private func check(at end: XCTestCase) {
      let tracked = Recorder.ignoring {
        objects.withLock { $0.removeValue(forKey: ObjectIdentifier(end)) } ?? []
      }
      guard let run = end.testRun, run.totalFailureCount == 0, !run.hasBeenSkipped else { return }
      let left = Recorder.ignoring { unheld(tracked, by: end) }
      _ = Lifetime.survivors(
        of: left.map(\.object), within: LiveObjects.LeakOptions().settle, pausing: MainLoop.pause)
      Recorder.forgetStack()
      for (failure, place) in Recorder.ignoring({ failures(of: unheld(left, by: end)) }) {
        failure.record(place.file, place.line)
      }
    }

    /// The objects that others than the test case hold; objects in its own properties are not waited for.
    private func unheld(_ tracked: [TrackedObject], by test: XCTestCase) -> [TrackedObject] {
      let alive = Self.alive(tracked)
      guard !alive.isEmpty else { return [] }
      let report = HolderReport()
      if report.isHolder(test, of: alive.map(\.object)) { return [] }
      return alive.filter { !report.isHolder(test, of: [$0.object]) }
    }

    /// Once each: of two living objects no two have the same address.
    private static func alive(_ tracked: [TrackedObject]) -> [TrackedObject] {
      var seen: Set<ObjectIdentity> = []
      return tracked.filter { $0.object.isAlive && seen.insert($0.object.identity).inserted }
    }

    /// The failures, one per reason and place.
    private func failures(of tracked: [TrackedObject]) -> [(LeakFailure, TrackedObject.Place)] {
      guard !tracked.isEmpty else { return [] }
      let report = HolderReport()
      return places(of: tracked).flatMap { place in
        report.explain(tracked.filter { $0.place == place }.map(\.object)).map {
          (LeakFailure("trackForLeaks", $0.failure("still alive at the end of the test")), place)
        }
      }
    }

    private func places(of tracked: [TrackedObject]) -> [TrackedObject.Place] {
      tracked.reduce(into: []) { places, tracked in
        if !places.contains(tracked.place) { places.append(tracked.place) }
      }
    }
  }
#endif
