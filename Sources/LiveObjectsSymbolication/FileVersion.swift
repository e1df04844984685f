#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The version of a file, which another one in its place does not have.
struct FileVersion: Hashable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// - Returns: `nil` if there is no such file.
  init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = Int64(changed.tv_sec)
    nanoseconds = Int64(changed.tv_nsec)
  }
}
