import LiveObjectsSystem

/// The size of a terminal.
struct Terminal {
  let columns: Int
  let lines: Int

  /// What moves to the top left, and clears the screen.
  static let clearing = "\u{1b}[H\u{1b}[2J"

  /// - Returns: `nil` if the file is no terminal, or one that does not tell its size or cannot be cleared.
  init?(_ descriptor: CInt) {
    var size = winsize()
    guard isatty(descriptor) == 1, Environment["TERM"] != "dumb",
      ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    (columns, lines) = (Int(size.ws_col), Int(size.ws_row))
  }
}
