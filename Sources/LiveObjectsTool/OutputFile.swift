import LiveObjectsReport
import LiveObjectsSystem

/// A file to write, or a standard stream.
///
/// A file has either its former contents or all of the new ones, whatever happens: they are written next to it, and
/// take its place at the end. Devices, pipes, files with several names and those of other users are written as they are.
final class OutputFile: Sendable {
  private let name: String
  /// Of a stream, and of a file that keeps its place; -1 for one that is replaced.
  private let descriptor: CInt
  private let replacement: Replacement?

  /// - Parameter path: `-` is standard output.
  /// - Throws: if the file cannot be written, as far as that can be known before.
  init(_ path: String) throws(ToolFailure) {
    name = path
    replacement = path == "-" ? nil : Replacement(of: path)
    if path == "-" {
      descriptor = StandardStream.output.rawValue
    } else {
      descriptor = replacement == nil ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666) : -1
    }
    guard replacement != nil || descriptor >= 0 else { throw Self.failure(path) }
  }

  /// - Returns: `nil` if there is such a file already.
  init?(new path: String) throws(ToolFailure) {
    name = path
    replacement = nil
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if descriptor < 0 && errno == EEXIST { return nil }
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  init(_ stream: StandardStream) {
    name = "\(stream)"
    descriptor = stream.rawValue
    replacement = nil
  }

  deinit {
    if descriptor > StandardStream.error.rawValue { close(descriptor) }
  }

  /// Whether it is standard output or standard error.
  var isStream: Bool { (StandardStream.output.rawValue...StandardStream.error.rawValue).contains(descriptor) }

  /// Whether it is a terminal, without a request for plain text (https://no-color.org).
  var wantsColor: Bool { isatty(descriptor) == 1 && (Environment["NO_COLOR"] ?? "").isEmpty }

  /// The characters of a line, if it is a terminal.
  var columns: Int? { Terminal(descriptor)?.columns }

  func write(_ bytes: [UInt8]) throws(ToolFailure) { try write(parts: CollectionOfOne(bytes)) }

  /// Writes all that the file is to have.
  func write(parts: some Sequence<[UInt8]>) throws(ToolFailure) {
    if descriptor > StandardStream.error.rawValue { ftruncate(descriptor, 0) }
    let isWritten =
      replacement.map { $0.write(parts) } ?? parts.allSatisfy { writeAll($0, to: descriptor) }
    guard isWritten else { throw Self.failure(name) }
  }

  /// Removes what is written at this moment, because this process ends.
  func discard() { replacement?.discard() }

  private static func failure(_ name: String) -> ToolFailure {
    ToolFailure("cannot write \(name): \(SystemError(code: errno))")
  }
}

/// New contents for a file, under a name of their own until they are complete.
private struct Replacement: Sendable {
  private let file: String
  private let temporary: String
  /// Of the file that is there.
  private let mode: mode_t?

  /// - Returns: `nil` for what must stay where it is, and where there can be no other file next to it.
  init?(of path: String) {
    guard !path.isEmpty, !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/") else { return nil }
    file = path.resolvingLinks ?? path
    temporary = "\(file.parentFolder)/.liveobjects-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    var status = stat()
    mode = lstat(file, &status) == 0 ? status.st_mode & 0o7777 : nil
    let isOwn = status.isRegularFile && status.st_nlink == 1 && status.st_uid == geteuid()
    guard access(file.parentFolder, W_OK | X_OK) == 0, mode == nil || (isOwn && access(file, W_OK) == 0)
    else { return nil }
  }

  /// - Returns: false, with `errno` set, if that failed; the file is as before then.
  func write(_ parts: some Sequence<[UInt8]>) -> Bool {
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    if let mode { fchmod(descriptor, mode) }
    if parts.allSatisfy({ writeAll($0, to: descriptor) }), rename(temporary, file) == 0 { return true }
    let code = errno
    discard()
    errno = code
    return false
  }

  func discard() { unlink(temporary) }
}

/// Standard output or standard error.
enum StandardStream: CInt {
  case output = 1
  case error = 2

  /// Writes without buffering. Errors are ignored: there is no other stream to report them on.
  func write(_ text: String) {
    _ = writeAll(Array(text.utf8), to: rawValue)
  }
}

/// One line on a terminal's standard error that is written again and again, and erased at the end.
final class ProgressLine {
  private static let erasing = "\r\u{1B}[K"

  private let isWanted = OutputFile(.error).wantsColor && Environment["TERM"] != "dumb"
  private var isShown = false
  /// The time of the next output; short work has none.
  private var next = ContinuousClock.now + .milliseconds(200)

  func show(_ text: String) {
    guard isWanted, ContinuousClock.now >= next else { return }
    StandardStream.error.write("\(Self.erasing)liveobjects: \(text)")
    isShown = true
    next = .now + .milliseconds(100)
  }

  func erase() {
    if isShown { StandardStream.error.write(Self.erasing) }
    isShown = false
  }
}
