#if canImport(XCTest)
  public import CCompanion
  internal import LiveObjects
  internal import TestWatching
  import XCTest

  /// Starts to watch each test of XCTest. The preload library calls it, once, before the first test.
  ///
  /// - Parameter result: not used.
  /// - Returns: `nil`, or the reason why it cannot be done.
  @_cdecl("liveobj_xctest_companion_start")
  public func start(
    _ host: UnsafePointer<liveobj_companion_host>, _ result: UnsafeMutablePointer<liveobj_testing_companion>?
  ) -> UnsafePointer<CChar>? {
    Recorder.ignoring {
      guard let host = CompanionHost(host) else {
        return reason("it was built from other sources than the preload library")
      }
      guard ClassLayout.isAsCompiled else { return reason("it was built with another toolchain's XCTest") }
      XCTestObservationCenter.shared.addTestObserver(TestObserver(host))
      return nil
    }
  }

  /// A string that is never freed: the preload library may print it at any time.
  private func reason(_ text: String) -> UnsafePointer<CChar>? { UnsafePointer(strdup(text)) }
#endif
