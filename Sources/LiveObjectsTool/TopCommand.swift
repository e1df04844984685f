import ArgumentParser
import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsServices
import LiveObjectsSystem

/// `liveobjects top PID`
struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the live objects of a running program by type, and their growth per minute.",
    discussion: """
      The program runs with the preload library and with snapshots=on in LIVEOBJECTS_OPTIONS. On a terminal the table \
      is shown until the program ends, or until Ctrl-C; otherwise once.

      Exit status: 0; 2 for usage errors, or if the program does not answer.
      """)

  @Option(help: ArgumentHelp("The seconds between two tables.", valueName: "seconds"))
  var interval: Double = 2

  @Option(help: ArgumentHelp("The number of tables.", valueName: "number"))
  var count: Int?

  @Argument(help: ArgumentHelp("The id of the process.", valueName: "pid"))
  var process: Int32

  func validate() throws {
    guard (0.1...3600).contains(interval) else {
      throw ValidationError("--interval takes 0.1 to 3600 seconds.")
    }
    guard count ?? 1 > 0 else { throw ValidationError("--count takes a number above 0.") }
  }

  func run() throws {
    let watched = WatchedProcess(id: process)
    var table = TopTable()
    var rest = count ?? (Terminal(STDOUT_FILENO) == nil ? 1 : .max)
    while true {
      let capture: Capture
      do throws(ToolFailure) {
        capture = try watched.capture(.counts)
      } catch {
        // The last table stays on the terminal.
        guard !table.isEmpty, watched.ends(within: Self.patience) else { throw error }
        StandardStream.output.write("process \(process) has ended\n")
        return
      }
      show(capture, in: &table)
      rest -= 1
      if rest == 0 { return }
      usleep(UInt32(interval * 1e6))
    }
  }

  /// A program does not answer any more while it exits.
  private static let patience = Duration.seconds(10)

  private func show(_ capture: Capture, in table: inout TopTable) {
    let terminal = Terminal(STDOUT_FILENO)
    table.add(Timeline.Entry(time: Double(capture.process.time) / 1e9, counts: capture.typeCounts))
    let text = table.text(
      title: "\(capture.process.name) (process \(process))", lines: (terminal?.lines ?? 42) - 1,
      width: terminal?.columns ?? 110, color: OutputFile(.output).wantsColor)
    StandardStream.output.write((terminal == nil ? "" : Terminal.clearing) + text)
  }
}

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
