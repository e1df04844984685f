#if canImport(XCTest) && os(Linux)
  internal import LiveObjects
  package import XCTest

  /// The moment between a test's teardown and its end, when a failure can still be recorded.
  ///
  /// XCTest has no hook for it: teardown blocks run before `tearDown()`, and observers hear of the end when it
  /// is too late for a failure. It does tell the test's run to stop, and that is a method which a subclass may
  /// override. The run exists already; it becomes an instance of the subclass, which adds nothing to it, until
  /// it stops.
  ///
  /// A process may hold two copies of this module, the companion's and that of a test binary which links the
  /// assertions. Whoever comes second changes the class that the first one has put there, and puts it back.
  package enum LastWord {
    /// Has something done at the end of a test. Who asks last speaks first. Call it inside `Recorder.ignoring`.
    ///
    /// - Parameter word: is called once, on the thread that runs the test, unless the process ends before.
    /// - Returns: whether it will be; never where the test's run is of a class of the program's own.
    package static func ask(of test: XCTestCase, _ word: @escaping (XCTestCase) -> Void) -> Bool {
      guard let run = test.testRun as? XCTestCaseRun else { return false }
      return Words.all.withLock { words in
        guard isOfXCTest(type(of: run)) else { return false }
        words[ObjectIdentifier(run), default: []].append(Word(speak: word, formerClass: type(of: run)))
        changeClass(of: run, to: LastWordRun.self)
        return true
      }
    }

    /// XCTest's own, be it that a copy of this module has changed it.
    private static func isOfXCTest(_ type: XCTestCaseRun.Type) -> Bool {
      type == XCTestCaseRun.self
        || (_getSuperclass(type) == XCTestCaseRun.self
          && String(reflecting: type) == String(reflecting: LastWordRun.self))
    }
  }

  /// What is to be done at the end of a test.
  private struct Word {
    let speak: (XCTestCase) -> Void
    /// Of the test's run.
    let formerClass: AnyClass
  }

  private enum Words {
    /// By test run, the latest last.
    static let all = Locked<[ObjectIdentifier: [Word]]>([:])

    static func take(of run: XCTestRun) -> Word? {
      all.withLock { words in
        let word = words[ObjectIdentifier(run)]?.popLast()
        if words[ObjectIdentifier(run)]?.isEmpty == true { words[ObjectIdentifier(run)] = nil }
        return word
      }
    }
  }

  /// Known by its name to other copies of this module. It stores nothing.
  final class LastWordRun: XCTestCaseRun {
    override func stop() {
      let word = Recorder.ignoring { Words.take(of: self) }
      changeClass(of: self, to: word?.formerClass ?? XCTestCaseRun.self)
      if let test = test as? XCTestCase { word?.speak(test) }
      stopAgain(self)
    }
  }

  /// As what the run is now. Not inlined: where the compiler sees the object's class, it would call that one's method.
  @inline(never) private func stopAgain(_ run: XCTestRun) { run.stop() }

  /// Makes an object an instance of another class. On Linux its first word is its class and nothing else.
  ///
  /// - Parameter type: has the stored properties of the present class, no more and no less.
  private func changeClass(of object: AnyObject, to type: AnyClass) {
    Unmanaged.passUnretained(object).toOpaque()
      .storeBytes(of: UInt(bitPattern: ObjectIdentifier(type)), as: UInt.self)
  }
#endif
