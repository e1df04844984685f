internal import CLiveObjects
package import LiveObjectsCapture

/// The tests of this process, as the recorder keeps them for captures.
extension Recorder {
  /// A test begins.
  ///
  /// - Parameter test: its outcome and its sequence numbers are the recorder's to find out.
  /// - Returns: its number, from 1 on; 0 if it could not be kept.
  package static func begin(_ test: TestDescription) -> UInt32 {
    test.id.withCString { id in
      test.arguments.withCString { arguments in
        test.file.withCString { file in
          var begun = liveobj_test(
            library: liveobj_test_library(test.library.rawValue), id: id, arguments: arguments,
            file: file, line: test.line, scope: test.scope)
          return liveobj_test_begin(&begun)
        }
      }
    }
  }

  /// A test has ended, or its outcome has changed since it did.
  package static func end(_ test: UInt32, _ outcome: TestDescription.Outcome) {
    liveobj_test_end(test, liveobj_test_outcome(outcome.rawValue))
  }

  /// Objects that a test left behind could keep themselves alive. `false` is certain; only a capture shows more.
  package static func mayLeaveCycle(_ test: UInt32) -> Bool { liveobj_test_may_leave_cycle(test) }
}
