#if canImport(XCTest) && os(Linux)
  internal import LiveObjects
  package import XCTest

  /// Runs code after a test's teardown and before its end, while a failure can still be recorded.
  ///
  /// XCTest offers no such point: teardown blocks run before `tearDown()`, and observers are called when it
  /// is too late for a failure. XCTest calls `XCTestRun.stop()` in between, and that method can be
  /// overridden. The hook changes the class of the existing run to a subclass without stored properties, and
  /// restores it in `stop()`.
  ///
  /// A process may contain two copies of this module, the companion's and that of a test binary which links
  /// the assertions. The second copy changes the class that the first one has set, and restores that one.
  package enum TestStopHook {
    /// Registers code for the end of a test. Handlers run in reverse order of registration. Call it inside
    /// `Recorder.ignoring`.
    ///
    /// - Parameter handler: called once on the thread that runs the test, unless the process ends before.
    /// - Returns: whether the handler will be called; `false` if the test's run is of a custom class.
    package static func register(for test: XCTestCase, handler: @escaping (XCTestCase) -> Void) -> Bool {
      guard let run = test.testRun as? XCTestCaseRun else { return false }
      return StopHandlers.all.withLock { handlers in
        guard isOfXCTest(type(of: run)) else { return false }
        handlers[ObjectIdentifier(run), default: []].append(
          StopHandler(handle: handler, formerClass: type(of: run)))
        changeClass(of: run, to: StopHookingTestCaseRun.self)
        return true
      }
    }

    /// Whether the test's run is of a class for which ``register(for:handler:)`` does nothing.
    package static func isCustomRun(of test: XCTestCase) -> Bool {
      guard let run = test.testRun as? XCTestCaseRun else { return true }
      return StopHandlers.all.withLock { _ in !isOfXCTest(type(of: run)) }
    }

    /// Whether a class is XCTest's own, possibly changed by a copy of this module.
    private static func isOfXCTest(_ type: XCTestCaseRun.Type) -> Bool {
      type == XCTestCaseRun.self
        || (_getSuperclass(type) == XCTestCaseRun.self
          && String(reflecting: type) == String(reflecting: StopHookingTestCaseRun.self))
    }
  }

  /// A registered handler for the end of a test.
  private struct StopHandler {
    let handle: (XCTestCase) -> Void
    /// The class of the test's run before the registration.
    let formerClass: AnyClass
  }

  private enum StopHandlers {
    /// By test run, the latest last.
    static let all = Locked<[ObjectIdentifier: [StopHandler]]>([:])

    /// Restores the class of the run before that handler. Under the lock: another thread may register one.
    static func removeLast(for run: XCTestRun) -> StopHandler? {
      all.withLock { handlers in
        let handler = handlers[ObjectIdentifier(run)]?.popLast()
        if handlers[ObjectIdentifier(run)]?.isEmpty == true { handlers[ObjectIdentifier(run)] = nil }
        changeClass(of: run, to: handler?.formerClass ?? XCTestCaseRun.self)
        return handler
      }
    }
  }

  /// A run that calls the registered handlers. It stores nothing, and other copies of this module know it by
  /// its name.
  final class StopHookingTestCaseRun: XCTestCaseRun {
    override func stop() {
      let handler = Recorder.ignoring { StopHandlers.removeLast(for: self) }
      if let test = test as? XCTestCase { handler?.handle(test) }
      stopAgain(self)
    }
  }

  /// Calls `stop` of the run's present class. Not inlined: where the compiler sees the object's class, it
  /// would call that one's method.
  @inline(never) private func stopAgain(_ run: XCTestRun) { run.stop() }

  /// Makes an object an instance of another class. On Linux its first word is its class and nothing else.
  ///
  /// - Parameter type: a class with the same stored properties as the present one.
  private func changeClass(of object: AnyObject, to type: AnyClass) {
    Unmanaged.passUnretained(object).toOpaque()
      .storeBytes(of: UInt(bitPattern: ObjectIdentifier(type)), as: UInt.self)
  }
#endif
