import LiveObjectsCapture

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds the files that a capture's images came from, and checks that they are still the same.
///
/// Answers are kept for as long as the file that was found is the same.
final class BinaryLocator {
  enum Location: Hashable {
    /// - otherBuilds: files of the folder with this name and another build id.
    case file(String, otherBuilds: [String])
    /// A file is there, and its build id is another one.
    case otherBuild
    case missing
  }

  private let folder: String?
  private lazy var mounts = MountTable()
  private var known: [Image: (location: Location, version: FileVersion?)] = [:]
  private lazy var filesOfFolder: [String] = folder.map(Self.files(below:)) ?? []
  private lazy var filesByBuildID = Dictionary(
    filesOfFolder.compactMap { path in
      file(at: path).flatMap { $0.buildID.isEmpty ? nil : ($0.buildID, $0.path) }
    }, uniquingKeysWith: { first, _ in first })

  /// - Parameter folder: the folder to search, at any depth, before an image's own path is tried.
  init(folder: String?) { self.folder = folder }

  func location(of image: Image) -> Location {
    // A process may live on while its files are built anew.
    if let known = known[image], known.version == known.location.version { return known.location }
    let location = find(image)
    known[image] = (location, location.version)
    return location
  }

  private func find(_ image: Image) -> Location {
    if !image.buildID.isEmpty, let path = filesByBuildID[image.buildID] {
      return .file(path, otherBuilds: [])
    }
    let candidates = filesOfFolder.filter { $0.fileName == image.path.fileName } + [image.path]
    let files = candidates.compactMap(file(at:))
    guard !files.isEmpty else { return .missing }
    guard let match = files.firstIndex(where: { $0.buildID == image.buildID }) else { return .otherBuild }
    return .file(files[match].path, otherBuilds: files[..<match].map(\.path))
  }

  private func file(at path: String) -> ELFFile? { mounts.storedFile(path).flatMap(ELFFile.init(path:)) }

  private static func files(below folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var files: [String] = []
    while let entry = readdir(directory) {
      let name = entry.name
      if name == "." || name == ".." { continue }
      let path = folder + "/" + name
      if entry.pointee.d_type == UInt8(DT_DIR) {
        files += Self.files(below: path)
      } else {
        files.append(path)
      }
    }
    return files.sorted()
  }
}

extension BinaryLocator.Location {
  /// `nil` where there is no file.
  fileprivate var version: FileVersion? {
    guard case .file(let path, _) = self else { return nil }
    return FileVersion(ofFileAt: path)
  }
}

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

/// The mounted file systems: no path from a capture may have the system mount another one, or read a
/// virtual file: opening or reading some of them changes the machine.
struct MountTable {
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
  init() {
    self.init(text: Self.contents(of: "/proc/self/mountinfo"))
  }

  /// - Parameter text: as `proc_pid_mountinfo(5)` specifies it.
  init(text: String) {
    let mounts = text.split(separator: "\n").compactMap(Self.mount(_:))
    types = Dictionary(mounts, uniquingKeysWith: { $1 })
  }

  /// The path of the file without links.
  ///
  /// Link by link: following one into such a file system would already do what must not be done.
  ///
  /// - Returns: `nil` where the path is not absolute, or leads to what is not kept on a disk or in memory.
  func storedFile(_ path: String) -> String? {
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

  private static func contents(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var count = 0
    repeat {
      let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, initialized in
        count = read(descriptor, buffer.baseAddress, buffer.count)
        initialized = max(0, count)
      }
      bytes += chunk
    } while count > 0
    return String(decoding: bytes, as: UTF8.self)
  }
}
