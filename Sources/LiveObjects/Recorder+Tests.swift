internal import CLiveObjects
package import LiveObjectsAnalysis
package import LiveObjectsCapture

/// The tests of this process in the recorder's table.
extension Recorder {
  /// Begins a test.
  ///
  /// - Parameter test: the description, without outcome and sequence numbers, which the recorder adds.
  /// - Returns: its number, from 1 on; 0 if it could not be stored.
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

  /// The number of the test that runs on this task; 0 for none.
  package static var currentTest: UInt32 { liveobj_test_current() }

  /// Ends a test, or changes the outcome of one that has ended.
  package static func end(_ test: UInt32, _ outcome: TestDescription.Outcome) {
    liveobj_test_end(test, liveobj_test_outcome(outcome.rawValue))
  }

  /// Sets the final result of a test.
  ///
  /// - Parameter isEvaluated: whether all objects that it left behind were evaluated.
  package static func close(_ test: UInt32, _ outcome: TestDescription.Outcome, isEvaluated: Bool) {
    liveobj_test_close(test, liveobj_test_outcome(outcome.rawValue), isEvaluated)
  }

  /// Fails a test with findings. Captures contain them from now on, so that the report on the process agrees.
  /// Without findings only the failure is recorded.
  package static func fail(_ test: UInt32, with findings: [Finding]) {
    if findings.isEmpty { liveobj_test_add_finding(test, nil, 0) }
    for finding in findings {
      let recorded = TestFinding(test: Int(test) - 1, objects: finding.members, content: finding.encoded)
      recorded.bytes.withUnsafeBytes { liveobj_test_add_finding(test, $0.baseAddress, $0.count) }
    }
  }

  /// Marks the running test as failed by an assertion about its objects: a companion still counts its leaks,
  /// and adds no failure.
  ///
  /// - Parameter leaks: the leaks in the assertion's message, which the report on the process repeats.
  package static func markTestLeaked(_ leaks: [Finding]) { fail(currentTest, with: leaks) }

  /// Marks the objects of a measurement as a known issue of its test: no other assertion, no companion and no
  /// report fails because of them. Objects that tasks of the measurement allocate from now on are not
  /// included.
  ///
  /// - Parameter scope: the measurement's scope; 0 for none.
  package static func markKnownIssue(_ scope: UInt32) { liveobj_scope_mark_known_issue(scope) }

  /// A live object, without a capture.
  package struct Instance {
    package let identity: ObjectIdentity
    /// Its number in captures.
    package let stackTrace: UInt32
    /// Whether it is raw memory.
    package let isBuffer: Bool

    fileprivate init(_ instance: liveobj_instance) {
      let address = ObjectAddress(UInt64(~instance.complement))
      identity = ObjectIdentity(at: address, sequence: instance.sequence)
      (stackTrace, isBuffer) = (instance.stack, instance.is_buffer)
    }

    fileprivate var forRecorder: liveobj_instance {
      liveobj_instance(
        complement: ~UInt(identity.address.value), sequence: identity.sequence, stack: stackTrace,
        is_buffer: isBuffer)
    }
  }

  /// The live objects that were allocated while a test without a scope ran.
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

  /// What is known of the objects that a test left behind.
  package enum TestCapture {
    /// None of them leaks.
    case clean
    case captured(RawCapture)
    /// There is no capture.
    case inconclusive
  }

  /// Captures what decides whether the objects that a test left behind leak.
  ///
  /// - Parameter instances: objects of the test. The capture has all objects and roots, unless variables and stacks
  ///   hold these. With `nil` it has the objects that may be part of a retain cycle, and those reachable from
  ///   them; a definite retain cycle in it is valid, other holders are missing.
  package static func capture(of test: UInt32, unlessHeld instances: [Instance]? = nil) -> TestCapture {
    let instances = instances?.map(\.forRecorder)
    if instances?.isEmpty == true { return .clean }
    var buffer = liveobj_buffer()
    switch liveobj_test_capture_to_memory(test, instances, instances?.count ?? 0, &buffer) {
    case LIVEOBJ_TEST_CLEAN: return .clean
    case LIVEOBJ_TEST_CAPTURED:
      let bytes = UnsafeRawBufferPointer(start: buffer.bytes, count: buffer.count)
      return .captured(ignoring { RawCapture(bytes: bytes) })
    default: return .inconclusive
    }
  }
}
