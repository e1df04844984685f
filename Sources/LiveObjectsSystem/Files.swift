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
    // Another process that has the file open may have made it non-blocking.
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

/// The first bytes of a file of `/proc`, whose size is not known before; none if it cannot be read.
package func contents(ofSystemFile path: String, atMost limit: Int = .max) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  while bytes.count < limit {
    let part = [UInt8](unsafeUninitializedCapacity: min(limit - bytes.count, 1 << 16)) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    if part.isEmpty { break }
    bytes += part
  }
  return bytes
}

// MARK: - Versions and mounts

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
    self.init(status)
  }

  /// - Returns: `nil` if nothing is open under this number.
  init?(of descriptor: CInt) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
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

  /// Whether they are versions of one file.
  func isSameFile(as other: FileVersion) -> Bool { (device, number) == (other.device, other.number) }
}

/// The mounted file systems: no path from a capture may have the system mount another one, or read a
/// virtual file: opening or reading some of them changes the machine.
package struct MountTable {
  private static let virtualTypes: Set = [
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "efivarfs",
    "fusectl",
    "mqueue", "nfsd", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs",
  ]

  /// The number of symbolic links that the system follows.
  private static let mostLinks = 40

  /// The types by folder; of several mounts on one folder the last one counts.
  private let types: [String: String]

  /// The mounts of this process; none without `/proc`.
  package init() {
    self.init(text: String(decoding: contents(ofSystemFile: "/proc/self/mountinfo"), as: UTF8.self))
  }

  /// - Parameter text: as `proc_pid_mountinfo(5)` specifies it.
  package init(text: String) {
    let mounts = text.split(separator: "\n").compactMap(Self.mount(_:))
    types = Dictionary(mounts, uniquingKeysWith: { $1 })
  }

  /// The path of the file without links.
  ///
  /// Link by link: following one into such a file system would already do what must not be done.
  ///
  /// - Returns: `nil` where the path is not absolute, or leads to what is not kept on a disk or in memory.
  package func storedFile(_ path: String) -> String? {
    guard path.hasPrefix("/"), path.utf8.count < PATH_MAX else { return nil }
    var rest = Self.parts(of: path)
    var folder = "/"
    var links = 0
    while let part = rest.popLast() {
      let next = part == ".." ? folder.parentFolder : (folder == "/" ? "" : folder) + "/" + part
      if isStored(next), let target = Self.target(ofLink: next) {
        links += 1
        guard links <= Self.mostLinks else { return nil }
        if target.hasPrefix("/") { folder = "/" }
        rest += Self.parts(of: target)
      } else {
        folder = next
      }
    }
    return isStored(folder) ? folder : nil
  }

  private func isStored(_ path: String) -> Bool {
    var folder = path
    while types[folder] == nil && folder != "/" { folder = folder.parentFolder }
    return !Self.virtualTypes.contains(types[folder] ?? "")
  }

  /// The last one first.
  private static func parts(of path: String) -> [Substring] {
    path.split(separator: "/").filter { $0 != "." }.reversed()
  }

  private static func target(ofLink path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      let count = readlink(path, buffer.baseAddress!, buffer.count)
      return count < 0
        ? nil : String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// `36 35 98:0 /root /folder rw,noatime shared:1 - ext4 /dev/sda rw`
  private static func mount(_ line: Substring) -> (folder: String, type: String)? {
    let fields = line.split(separator: " ")
    guard fields.count > 4, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { return nil }
    return (unescaped(fields[4]), String(fields[dash + 1]))
  }

  /// A space is `\040`.
  private static func unescaped(_ text: Substring) -> String {
    let parts = text.split(separator: "\\", omittingEmptySubsequences: false)
    let rest = parts.dropFirst().map { part in
      UInt8(part.prefix(3), radix: 8).map { [$0] + part.utf8.dropFirst(3) } ?? Array(part.utf8)
    }
    return String(decoding: Array(parts[0].utf8) + rest.joined(), as: UTF8.self)
  }
}
