package import LiveObjectsCapture

/// The bytes of a capture, as the recorder wrote them.
///
/// Sendable because the bytes never change.
package final class RawCapture: @unchecked Sendable {
  private let bytes: UnsafeRawBufferPointer

  /// Takes over memory that the recorder allocated.
  init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  deinit { Recorder.free(bytes) }

  package func decoded() throws(LiveObjects.TrackingError) -> Capture {
    do {
      return try Recorder.ignoring { () throws(CaptureError) in try Capture(decoding: bytes) }
    } catch {
      throw .captureFailed(reason: "\(error)")
    }
  }
}
