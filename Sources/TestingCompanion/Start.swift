#if canImport(Testing)
  public import CCompanion
  internal import LiveObjects
  internal import TestWatching

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Starts to watch each test case of Swift Testing. The preload library calls it, once, before the first
  /// test.
  ///
  /// - Parameter result: the functions that the preload library calls where test cases begin and end.
  /// - Returns: `nil`, or the reason why it cannot be done.
  @_cdecl("liveobj_testing_companion_start")
  public func start(
    _ host: UnsafePointer<liveobj_companion_host>, _ result: UnsafeMutablePointer<liveobj_testing_companion>
  ) -> UnsafePointer<CChar>? {
    Recorder.ignoring {
      guard let host = CompanionHost(host) else {
        return UnsafePointer(strdup("it was built from other sources than the preload library"))
      }
      CaseWatcher.shared.start(host)
      EventStream.host = host
      #if compiler(<6.1)
        BoundValues.host = host
      #endif
      result.pointee = liveobj_testing_companion(
        version: UInt32(LIVEOBJ_COMPANION_VERSION),
        case_begin: { CaseWatcher.shared.begin() },
        case_end: { scope, hasFailed in CaseWatcher.shared.end(scope, hasFailed: hasFailed) },
        with_value: nil, entry_point: nil)
      liveobj_testing_set_functions(result)
      return nil
    }
  }
#endif
