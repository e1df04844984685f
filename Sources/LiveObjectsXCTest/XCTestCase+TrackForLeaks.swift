#if canImport(XCTest)
  internal import LeakAssertions
  internal import LiveObjects
  public import XCTest

  extension XCTestCase {
    /// Asserts that objects are gone at the end of the test.
    ///
    /// ```swift
    /// private func makeSUT(file: StaticString = #filePath, line: UInt = #line) -> (Loader, ClientSpy) {
    ///   let client = ClientSpy()
    ///   let sut = Loader(client: client)
    ///   trackForLeaks(sut, client, file: file, line: line)
    ///   return (sut, client)
    /// }
    /// ```
    ///
    /// Objects that are still alive for one reason, as those of one retain cycle, are one failure that names
    /// them all.
    ///
    /// The end comes after all teardown blocks, `tearDown()` and its throwing and asynchronous forms, so that
    /// a property that these clear counts as cleared. An object that the test case still holds then, directly
    /// or through others, is not failed: test cases live as long as the process. Late releases are waited for
    /// with the main run loop running. A test that failed for another reason, or was skipped, asserts
    /// nothing: its teardown may be unfinished. A call after the end of the test fails. If `testRunClass` is a
    /// class of your own, the end is the last teardown block, and a call in `tearDown()` fails.
    ///
    /// - Parameters:
    ///   - objects: are held weakly.
    ///   - file: the file that failures are shown in; the caller's. Helpers pass on their own caller's.
    ///   - line: the line that failures are shown at.
    public func trackForLeaks(
      _ objects: AnyObject..., file: StaticString = #filePath, line: UInt = #line
    ) {
      #if os(Linux)
        if testRun == nil ? Recorder.runsSwiftTesting : !RunningTests.contains(self) {
          return Self.notChecked("XCTest does not run this test").record(file, line)
        }
        let areChecked = Recorder.ignoring {
          let place = TrackedObject.Place(file: file, line: line)
          return objects.allSatisfy {
            TrackedObjects.shared.add(TrackedObject(WatchedObject($0), at: place), of: self)
          }
        }
        if !areChecked {
          Self.notChecked(
            "the class of the test's run is not XCTestCaseRun, and its teardown blocks have run"
          ).record(file, line)
        }
      #else
        NotWatched.warn(NotWatched.onThisSystem)
      #endif
    }

    #if os(Linux)
      private static func notChecked(_ reason: String) -> LeakFailure {
        LeakFailure("trackForLeaks", .unwatched("nothing is checked: \(reason)"))
      }
    #endif
  }
#endif
