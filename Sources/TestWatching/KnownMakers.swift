internal import LiveObjects
internal import LiveObjectsCapture

/// Whose code made the objects of a stack trace: learnt from captures, for all tests of the process.
///
/// Test libraries make objects in every test, at the same places. To know those spares a capture at each test's end.
final class KnownMakers: Sendable {
  /// By the number of the stack trace, which the recorder never gives to another one.
  private let isTestLibrary = Locked<[UInt32: Bool]>([:])

  func knows(_ stackTrace: UInt32) -> Bool {
    isTestLibrary.withLock { $0[stackTrace] != nil }
  }

  func learn(from capture: Capture) {
    var libraries = TestLibraries(in: capture)
    isTestLibrary.withLock { known in
      for object in capture.objects { known[object.stackTrace] = libraries.made(object) }
    }
  }

  /// Only a test library's own code; `false` where that is not known.
  func areTestLibrary(at stackTrace: UInt32) -> Bool {
    isTestLibrary.withLock { $0[stackTrace] == true }
  }
}
