import LiveObjectsSystem

/// The terminal that standard output is.
struct Terminal {
  let columns: Int
  let lines: Int
  let hasColors = OutputFile(.output).wantsColor
  /// What moves to the top left, and clears the screen.
  let clearing = "\u{1b}[H\u{1b}[2J"

  /// - Returns: `nil` if standard output is none, or one that cannot be cleared.
  init?() {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, Environment["TERM"] != "dumb",
      ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    (columns, lines) = (Int(size.ws_col), Int(size.ws_row))
  }
}
