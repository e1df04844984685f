#if canImport(Testing)
  internal import CCompanion
  internal import Foundation
  internal import LiveObjects
  internal import TestWatching
  public import Testing

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The events of Swift Testing, in the JSON that it documents for tools (`ABI/JSON.md`).
  ///
  /// The library passes on each event on the task that caused it.
  enum EventStream {
    // Set once, before the first test.
    nonisolated(unsafe) static var host: CompanionHost?

    private typealias EntryPoint =
      @convention(thin) @Sendable (
        _ configuration: UnsafeRawBufferPointer?,
        _ handler: @escaping @Sendable (_ record: UnsafeRawBufferPointer) -> Void
      ) async throws -> Bool

    /// The exit status of a run without tests (`EX_UNAVAILABLE`), for which the stable entry point returns success.
    private static let noTests: CInt = 69

    /// The kind of the events that matter. Most are others, which need not be read.
    private static let issueRecorded = Data("issueRecorded".utf8)

    /// Runs the tests by the arguments of this process.
    ///
    /// - Returns: the exit status, the same as without the stream.
    /// - Throws: if no test was run.
    static func run() async throws -> CInt {
      let hasTests = Recorder.ignoring { Locked(false) }
      let entryPoint = unsafeBitCast(swt_abiv0_getEntryPoint(), to: EntryPoint.self)
      let succeeds = try await entryPoint(nil) { record in
        Recorder.ignoring {
          let record = Data(record)
          guard record.range(of: issueRecorded) != nil || !hasTests.withLock({ $0 }) else { return }
          let event = try? JSONDecoder().decode(Record.self, from: record)
          if event?.kind == "test" { hasTests.withLock { $0 = true } }
          if event?.payload.issue?.fails == true { host?.testHasFailed() }
        }
      }
      guard succeeds else { return EXIT_FAILURE }
      return hasTests.withLock { $0 } ? EXIT_SUCCESS : noTests
    }

    /// The fields of a record that are used here.
    private struct Record: Decodable {
      struct Payload: Decodable {
        var issue: Issue?
      }

      struct Issue: Decodable {
        var isKnown: Bool
        /// Since 6.3.
        var isFailure: Bool?
        /// In 6.2.
        var _severity: String?

        var fails: Bool { isFailure ?? (!isKnown && _severity != "warning") }
      }

      var kind: String
      var payload: Payload
    }
  }

  /// Takes the place of `__swiftPMEntryPoint(passing:)`.
  @_silgen_name("liveobj_testing_entry_point")
  public func runWatchedTests(passing arguments: __CommandLineArguments_v0?) async -> Never {
    liveobj_testing_buffer_lines()
    guard arguments == nil, let status = try? await EventStream.run() else {
      exit(await __swiftPMEntryPoint(passing: arguments))
    }
    DueWork.wait()
    exit(status)
  }
#endif
