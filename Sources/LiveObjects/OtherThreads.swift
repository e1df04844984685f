#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The threads of the process but the calling one.
enum OtherThreads {
  /// Whether one of them runs or waits for a processor; `false` where the system does not say.
  static var areRunning: Bool {
    #if os(Linux)
      guard let folder = opendir("/proc/self/task") else { return false }
      defer { closedir(folder) }
      let own = ownThread
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != own, Int32(name) != nil, state(of: name) == UInt8(ascii: "R") { return true }
      }
    #endif
    return false
  }

  #if os(Linux)
    /// The kernel's number of the calling thread, for which the C library's header has no function in Swift.
    private static var ownThread: String {
      var target = [UInt8](repeating: 0, count: 64)
      let count = target.withUnsafeMutableBytes { buffer in
        readlink("/proc/thread-self", buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
      }
      return String(
        decoding: target[..<max(count, 0)].split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

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
