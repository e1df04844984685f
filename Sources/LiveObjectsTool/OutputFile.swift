import LiveObjectsReport
import LiveObjectsSystem

/// A file that is open for writing, or a standard stream.
final class OutputFile: Sendable {
  private let name: String
  private let descriptor: CInt
  /// Whether the file was created here.
  private let isNew: Bool

  /// - Parameter path: `-` is standard output.
  init(_ path: String) throws(ToolFailure) {
    name = path
    if path == "-" {
      descriptor = StandardStream.output.rawValue
      isNew = false
      return
    }
    let created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    isNew = created >= 0
    descriptor = isNew ? created : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  /// - Returns: `nil` if there is such a file already.
  init?(new path: String) throws(ToolFailure) {
    name = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    isNew = true
    if descriptor < 0 && errno == EEXIST { return nil }
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  init(_ stream: StandardStream) {
    name = "\(stream)"
    descriptor = stream.rawValue
    isNew = false
  }

  deinit {
    if descriptor > StandardStream.error.rawValue { close(descriptor) }
  }

  /// Whether it is a terminal, without a request for plain text (https://no-color.org).
  var wantsColor: Bool { isatty(descriptor) == 1 && (Environment["NO_COLOR"] ?? "").isEmpty }

  /// The characters of a line, if it is a terminal.
  var columns: Int? { Terminal(descriptor)?.columns }

  /// The first write empties the file: without any, it keeps what it has.
  func write(_ bytes: [UInt8]) throws(ToolFailure) {
    if descriptor > StandardStream.error.rawValue, lseek(descriptor, 0, SEEK_CUR) == 0 {
      ftruncate(descriptor, 0)
    }
    guard writeAll(bytes, to: descriptor) else { throw Self.failure(name) }
  }

  /// Removes the file if it was created here, because there will be no output.
  func discard() {
    if isNew { unlink(name) }
  }

  private static func failure(_ name: String) -> ToolFailure {
    ToolFailure("cannot write \(name): \(SystemError(code: errno))")
  }
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
