internal import LiveObjectsCapture
internal import LiveObjectsSystem

/// The threads of the process but the calling one.
enum OtherThreads {
  /// Whether one of them runs or waits for a processor; `false` where the system does not say.
  static var areRunning: Bool {
    #if os(Linux)
      let own = "/proc/thread-self".resolvingLinks?.fileName
      return entries(ofFolder: "/proc/self/task").contains {
        $0.name != own && state(of: $0.name) == UInt8(ascii: "R")
      }
    #else
      return false
    #endif
  }

  #if os(Linux)
    /// The letter behind the name, which stands in parentheses and may hold some itself.
    private static func state(of thread: String) -> UInt8? {
      let descriptor = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 128)
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
        return nil
      }
      return bytes[end + 2]
    }
  #endif
}
