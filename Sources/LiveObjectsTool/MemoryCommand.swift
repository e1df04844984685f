import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSystem

/// `liveobjects memory PID`
struct MemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract: "Shows what the memory of a running program is used for.",
    discussion: """
      The program runs with the preload library and with snapshots=on in LIVEOBJECTS_OPTIONS, and goes on. The growth is \
      that since this command or `liveobjects snapshot` asked it before.

      Exit status: 0; 2 for usage errors, or if the program does not answer; 3 if its memory could not be counted.
      """)

  @Argument(help: ArgumentHelp("The id of the process.", valueName: "pid"))
  var process: Int32

  func run() throws {
    let capture = try WatchedProcess(id: process).capture(.memory)
    guard let memory = capture.process.memory else {
      printError("the memory of process \(process) could not be counted: \(capture.reasonForNoMemory)")
      throw ExitCode(Report.statusOfNothingWatched)
    }
    var page = TextPage(
      color: OutputFile(.output).wantsColor,
      width: Terminal(STDOUT_FILENO)?.columns ?? TextRenderer.standardWidth)
    page.add(memoryOf: capture.process, memory)
    page.add()
    page.add(rows: OpenResources(of: process).rows, [.left, .left], indentation: 2)
    StandardStream.output.write(page.text)
  }
}

extension Capture {
  fileprivate var reasonForNoMemory: String {
    graph?.status.notes.first ?? tracking.notes.first ?? "references were not read"
  }
}

/// The threads and the open descriptors of a process, grouped.
private struct OpenResources {
  private static let mostKinds = 6

  private let folder: String

  init(of process: Int32) { folder = "/proc/\(process)" }

  /// None where the process has ended, or the system refuses to list them.
  var rows: [[String]] {
    let threads = entries(ofFolder: "\(folder)/task").map { name(ofThread: $0.name) }.filter { !$0.isEmpty }
    let descriptors = entries(ofFolder: "\(folder)/fd").compactMap { kind(ofDescriptor: $0.name) }
    return [("threads", threads), ("descriptors", descriptors)].filter { !$0.1.isEmpty }
      .map { [$0.0, Self.counts(of: $0.1)] }
  }

  /// `NIO-ELT-0-#1` is one of `NIO-ELT-0-#`: pools number their threads.
  private func name(ofThread thread: String) -> String {
    let name = String(
      decoding: contents(ofSystemFile: "\(folder)/task/\(thread)/comm").prefix { $0 != UInt8(ascii: "\n") },
      as: UTF8.self)
    let end = name.lastIndex { !$0.isNumber }.map(name.index(after:)) ?? name.startIndex
    return end == name.startIndex ? name : String(name[..<end])
  }

  /// `socket`, `pipe`, `eventpoll`, the path of a device, or the folder of a file.
  private func kind(ofDescriptor descriptor: String) -> String? {
    guard let target = Self.target(of: "\(folder)/fd/\(descriptor)") else { return nil }
    if target.hasPrefix("/memfd:") { return "memory files" }
    if target.hasPrefix("/dev/"), !target.hasPrefix("/dev/shm/") { return target }
    if target.hasPrefix("/") { return "files in \(target.parentFolder)" }
    let name =
      target.hasPrefix("anon_inode:") ? target.dropFirst("anon_inode:".count) : target.prefix { $0 != ":" }
    return String(name.filter { $0 != "[" && $0 != "]" })
  }

  private static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { text in
      let count = readlink(link, text.baseAddress!, text.count)
      return count < 0 ? nil : String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// `500 socket, 12 eventpoll`, most first.
  private static func counts(of names: [String]) -> String {
    let counts = Dictionary(grouping: names) { $0 }.mapValues(\.count)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shown = counts.prefix(mostKinds).map { "\(Count.grouped($0.value)) \($0.key)" }
    return (shown + (counts.count > mostKinds ? ["…"] : [])).joined(separator: ", ")
  }
}
