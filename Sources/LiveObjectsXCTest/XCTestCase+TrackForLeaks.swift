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
    /// nothing: its teardown may be unfinished. A call after the end of the test fails.
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
          return LeakFailure("trackForLeaks", .unwatched("nothing is checked: XCTest does not run this test"))
            .record(file, line)
        }
        Recorder.ignoring {
          let place = TrackedObject.Place(file: file, line: line)
          for object in objects {
            TrackedObjects.shared.add(TrackedObject(WatchedObject(object), at: place), of: self)
          }
        }
      #else
        NotWatched.warn(NotWatched.onThisSystem)
      #endif
    }
  }
#endif
