#if canImport(Testing)
  internal import LiveObjects
  public import Testing

  #if canImport(Glibc)
    @preconcurrency import Glibc
  #elseif canImport(Darwin)
    @preconcurrency import Darwin
  #endif

  /// `ABI.v0.EntryPoint` of Swift Testing: stable, and available through its C function alone.
  private typealias TestingEntryPoint =
    @convention(thin) @Sendable (
      _ configuration: UnsafeRawBufferPointer?,
      _ handler: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
    ) async throws -> Bool

  /// Takes the place of `Testing.__swiftPMEntryPoint(passing:)` in a test binary's executable: runs the tests
  /// that its command line selects, follows their records, and ends the process as that function does.
  @_silgen_name("liveobj_testing_run_tests")
  public func runTests(passing arguments: __CommandLineArguments_v0?) async -> Never {
    // SwiftPM's runner passes none: they are read from the command line.
    guard arguments == nil, let run = testingEntryPoint() else {
      await Testing.__swiftPMEntryPoint(passing: arguments) as Never
    }
    // A pipe gets whole lines, as it does from that function.
    setvbuf(stdout, nil, _IOLBF, Int(BUFSIZ))
    let havePassed = (try? await run(nil) { RecordedCases.shared.handle($0) }) ?? false
    exit(!havePassed ? EXIT_FAILURE : RecordedCases.shared.hasSelection ? EXIT_SUCCESS : noTestsFound)
  }

  /// The status that means "no test was selected" to SwiftPM.
  private let noTestsFound: Int32 = 69

  private func testingEntryPoint() -> TestingEntryPoint? {
    typealias GetEntryPoint = @convention(c) () -> UnsafeRawPointer
    guard let function = dlsym(nil, "swt_abiv0_getEntryPoint") else { return nil }
    return unsafeBitCast(unsafeBitCast(function, to: GetEntryPoint.self)(), to: TestingEntryPoint.self)
  }
#endif
