import LiveObjectsReport
import LiveObjectsSymbolication

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One line on a terminal's standard error that is written again and again, and erased at the end.
final class ProgressLine {
  private static let erasing = "\r\u{1B}[K"

  private let isWanted =
    isatty(STDERR_FILENO) == 1 && (Environment["NO_COLOR"] ?? "").isEmpty && Environment["TERM"] != "dumb"
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
