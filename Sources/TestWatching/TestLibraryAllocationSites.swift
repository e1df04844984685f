internal import LiveObjects
internal import LiveObjectsCapture

/// The stack traces at which test libraries allocate objects, collected from captures for all tests of the
/// process.
///
/// Test libraries allocate objects in every test, at the same places: known ones need no capture at each
/// test's end.
final class TestLibraryAllocationSites: Sendable {
  /// By the number of the stack trace, which the recorder never reuses.
  private let isTestLibrary = Locked<[UInt32: Bool]>([:])

  func isClassified(_ stackTrace: UInt32) -> Bool {
    isTestLibrary.withLock { $0[stackTrace] != nil }
  }

  func classify(_ capture: Capture) {
    var libraries = TestLibraries(in: capture)
    isTestLibrary.withLock { isTestLibrary in
      for object in capture.objects { isTestLibrary[object.stackTrace] = libraries.allocated(object) }
    }
  }

  /// Whether a stack trace is that of a test library; `false` where that is unknown.
  func contains(_ stackTrace: UInt32) -> Bool {
    isTestLibrary.withLock { $0[stackTrace] == true }
  }
}
