import LiveObjectsReport
import LiveObjectsSymbolication

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
    descriptor = isNew ? created : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
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

  func write(_ bytes: [UInt8]) throws(ToolFailure) {
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

/// - Returns: false, with `errno` set, if not all could be written.
private func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
