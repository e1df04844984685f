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
      let bytes = contents(ofSystemFile: "/proc/self/task/\(thread)/stat", atMost: 128)
      return bytes.lastIndex(of: UInt8(ascii: ")")).flatMap { bytes.dropFirst($0 + 2).first }
    }
  #endif
}
