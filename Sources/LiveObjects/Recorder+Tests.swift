internal import CLiveObjects
package import LiveObjectsAnalysis
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

  /// The number of the test that runs here; 0 for none.
  package static var currentTest: UInt32 { liveobj_test_current() }

  /// A test has ended, or its outcome has changed since it did.
  package static func end(_ test: UInt32, _ outcome: TestDescription.Outcome) {
    liveobj_test_end(test, liveobj_test_outcome(outcome.rawValue))
  }

  /// Nothing more becomes of a test, unless the process ends first.
  ///
  /// - Parameter isEvaluated: all that it left behind was evaluated.
  package static func close(_ test: UInt32, _ outcome: TestDescription.Outcome, isEvaluated: Bool) {
    liveobj_test_close(test, liveobj_test_outcome(outcome.rawValue), isEvaluated)
  }

  /// The test fails with these findings: captures hold them from now on, so that the report on the process says the
  /// same. Where there are none only the failure is known.
  package static func fail(_ test: UInt32, with findings: [Finding]) {
    if findings.isEmpty { liveobj_test_found(test, nil, 0) }
    for finding in findings {
      let recorded = TestFinding(test: Int(test) - 1, objects: finding.members, content: finding.content)
      recorded.bytes.withUnsafeBytes { liveobj_test_found(test, $0.baseAddress, $0.count) }
    }
  }

  /// A live object, as the recorder knows it without a capture.
  package struct Instance: Sendable {
    package let identity: ObjectIdentity
    /// As in captures.
    package let stackTrace: UInt32
  }

  /// What was made while a test without a scope ran, and is alive: no raw buffers.
  package static func instances(of test: UInt32) -> [Instance] {
    var instances: [Instance] = []
    withUnsafeMutablePointer(to: &instances) { instances in
      liveobj_test_visit_instances(
        test,
        { instances, instance in
          guard let instance = instance?.pointee else { return }
          instances?.assumingMemoryBound(to: [Instance].self).pointee.append(Instance(instance))
        }, instances)
    }
    return instances
  }

  /// What a search from the program's variables says of objects.
  package enum Holding: Sendable {
    /// Variables hold all of them, themselves or by other objects.
    case shown
    /// Only a capture of all tells.
    case open
    /// The same, for variables lead to too much.
    case tooLarge
  }

  /// Whether variables of the program hold all of these objects.
  package static func holding(of objects: [ObjectIdentity]) -> Holding {
    let complements = objects.map { ~UInt($0.address.value) }
    switch liveobj_objects_holding(complements, complements.count) {
    case LIVEOBJ_HOLDING_SHOWN: return .shown
    case LIVEOBJ_HOLDING_TOO_LARGE: return .tooLarge
    default: return .open
    }
  }

  /// What can be said of a test without a look at the whole heap.
  package enum Remains {
    /// Nothing that it left behind can keep itself alive.
    case noCycle
    /// What it left behind and what can be reached from there. A definite retain cycle in it is one; what else
    /// holds an object is not to be seen.
    case captured(RawCapture)
    /// Only a capture of all tells.
    case open
  }

  package static func remains(of test: UInt32) -> Remains {
    var buffer = liveobj_buffer()
    switch liveobj_test_capture_to_memory(test, &buffer) {
    case LIVEOBJ_REMAINS_NO_CYCLE: return .noCycle
    case LIVEOBJ_REMAINS_CAPTURED:
      let bytes = UnsafeRawBufferPointer(start: buffer.bytes, count: buffer.count)
      return .captured(ignoring { RawCapture(bytes: bytes) })
    default: return .open
    }
  }
}

extension Recorder.Instance {
  fileprivate init(_ instance: liveobj_instance) {
    identity = ObjectIdentity(
      at: ObjectAddress(UInt64(~instance.complement)), sequence: instance.sequence)
    stackTrace = instance.stack
  }
}
