extension String {
  /// A path without its last component.
  package var parentFolder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// A path that leads to the same file without any link; `nil` if there is no such file.
  package var resolvingLinks: String? {
    guard let resolved = realpath(self, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

// MARK: - Folders

/// The entries of a folder, in no order; none if it cannot be read.
package func entries(ofFolder path: String) -> [(name: String, isFolder: Bool)] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var entries: [(name: String, isFolder: Bool)] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { entries.append((name, entry.pointee.d_type == UInt8(DT_DIR))) }
  }
  return entries
}

// MARK: - Descriptors

/// The same open file under a number that no standard stream of a child has, and that no other child
/// inherits. A host may have closed its own standard streams, and got their numbers for this file.
package func movingAboveStandardStreams(_ descriptor: CInt) throws(SystemError) -> CInt {
  let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
  let error = errno
  close(descriptor)
  guard moved >= 0 else { throw SystemError(code: error) }
  return moved
}

/// Writes all bytes.
///
/// - Returns: false, with `errno` set, if not all could be written.
package func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    // Who has the file open too may have made it non-blocking.
    if count < 0 && errno == EAGAIN {
      var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&writable, 1, -1)
      continue
    }
    guard count >= 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Opens regular files only: opening a device can start it, and opening a FIFO is what its writer waits for.
///
/// - Returns: -1 for everything else.
package func openRegularFile(_ path: String) -> CInt {
  var status = stat()
  guard stat(path, &status) == 0, status.isRegularFile else { return -1 }
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  guard descriptor >= 0 else { return -1 }
  // Another file may have taken its place meanwhile.
  guard fstat(descriptor, &status) == 0, status.isRegularFile else {
    close(descriptor)
    return -1
  }
  return descriptor
}

extension stat {
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// The bytes of an open file.
///
/// - Returns: `nil` unless the file has them all.
package func readBytes(of descriptor: CInt, at offset: Int = 0, count size: Int) -> [UInt8]? {
  var isComplete = false
  let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    while count < buffer.count {
      let read = pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(offset + count))
      guard read > 0 else { return }
      count += read
    }
    isComplete = true
  }
  return isComplete ? bytes : nil
}

/// The bytes of a regular file.
///
/// - Parameter limit: the most bytes; a watched program must not run out of memory.
/// - Returns: `nil` if it cannot be read or has more.
package func contents(ofRegularFile path: String, atMost limit: Int) -> [UInt8]? {
  let descriptor = openRegularFile(path)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  let size = Int(lseek(descriptor, 0, SEEK_END))
  return (0...limit).contains(size) ? readBytes(of: descriptor, count: size) : nil
}

// MARK: - Versions and places

/// The version of a file, which another one in its place does not have.
package struct FileVersion: Hashable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// - Returns: `nil` if there is no such file.
  package init?(ofFileAt path: String) {
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

/// The path, without links, of a file that a capture names: it may come from anywhere.
///
/// - Returns: `nil` where the path is not absolute, or leads below a folder whose files are virtual, so that opening
///   one may change the machine, or that would be mounted first, from another machine.
package func storedFile(_ path: String) -> String? {
  guard path.hasPrefix("/"), isStored(withoutDots(path)), let resolved = path.resolvingLinks else {
    return nil
  }
  return isStored(resolved) ? resolved : nil
}

private func isStored(_ path: String) -> Bool {
  !["/proc/", "/sys/", "/dev/", "/net/"].contains(where: path.hasPrefix)
}

/// The path without `.` and `..`.
private func withoutDots(_ path: String) -> String {
  let parts = path.split(separator: "/").reduce(into: [Substring]()) { parts, part in
    if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
  }
  return "/" + parts.joined(separator: "/")
}
