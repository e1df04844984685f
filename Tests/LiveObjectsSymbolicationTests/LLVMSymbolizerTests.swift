import Foundation
import LiveObjectsAnalysis
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsSymbolication
@testable import LiveObjectsSystem

@Suite("A process of llvm-symbolizer answers many requests")
struct LLVMSymbolizerTests {
  @Test("without a restart")
  func answersFromOneProcess() throws {
    let symbolizer = try RecordingSymbolizer("exec '\(realSymbolizer())' \"$@\"")
    for _ in 1...4 { #expect(symbolizer.requestAnotherFile() != nil) }
    #expect(try symbolizer.runs == 1)
    #expect(symbolizer.notes.isEmpty)
  }

  @Test("and is restarted once after it has ended")
  func isStartedOnceMore() throws {
    let symbolizer = try RecordingSymbolizer(
      "read -r question; echo \"$question\" | '\(realSymbolizer())' \"$@\"; exit 3")
    #expect(symbolizer.requestAnotherFile() != nil)
    #expect(symbolizer.requestAnotherFile() != nil)
    #expect(symbolizer.notes.isEmpty)
    for _ in 1...3 { #expect(symbolizer.requestAnotherFile() == nil) }
    #expect(try symbolizer.runs == 2)
    #expect(symbolizer.notes.contains { $0.contains("llvm-symbolizer failed (it ended with status 3)") })
  }

  @Test("until it hangs: it is killed and not used again")
  func isKilledWhenItHangs() throws {
    let symbolizer = try RecordingSymbolizer("exec sleep 600", timeout: .seconds(2))
    let start = ContinuousClock.now
    for _ in 1...3 { #expect(symbolizer.requestAnotherFile() == nil) }
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(try symbolizer.runs == 1)
    #expect(symbolizer.notes.contains { $0.contains("llvm-symbolizer failed (it did not answer") })
    #expect(try isGone(symbolizer.process))
  }

  @Test("until it prints other output")
  func rejectsOtherOutput() throws {
    let symbolizer = try RecordingSymbolizer(
      "while read -r question; do echo 0x1; echo f; echo '  Filename: /a'; echo '  Line: 1'; echo; done")
    for _ in 1...3 { #expect(symbolizer.requestAnotherFile() == nil) }
    #expect(try symbolizer.runs == 1)
    #expect(symbolizer.notes.contains { $0.contains("it answered something else") })
    #expect(try isGone(symbolizer.process))
  }

  @Test("by another process after a file was replaced, because each caches files")
  func rereadsReplacedFiles() throws {
    let folder = try makeSymbolizer("echo run >> \"$0.runs\"; exec '\(realSymbolizer())' \"$@\"")
    let program = folder.path("program")
    let symbolizer = LLVMSymbolizer(
      path: folder.path("llvm-symbolizer"), environment: [], timeout: .seconds(60))
    let (frame, line) = makeFrame()
    let address = CodeAddress(binary: program, address: frame.offset - 1)
    try FileManager.default.copyItem(atPath: "/bin/sh".resolvingLinks!, toPath: program)
    for _ in 1...2 { #expect(try symbolizer.symbolicate([address])[address]?.first?.line != line) }
    try FileManager.default.removeItem(atPath: program)
    try FileManager.default.copyItem(atPath: ownExecutable, toPath: program)
    for _ in 1...2 { #expect(try symbolizer.symbolicate([address])[address]?.first?.line == line) }
    #expect(
      try String(contentsOfFile: folder.path("llvm-symbolizer.runs"), encoding: .utf8) == "run\nrun\n")
  }

  @Test("and ends with its last user")
  func endsWithItsSymbolicator() throws {
    var symbolizer: RecordingSymbolizer? = try RecordingSymbolizer("exec '\(realSymbolizer())' \"$@\"")
    _ = symbolizer?.requestAnotherFile()
    let process = try #require(try symbolizer?.process)
    #expect(kill(process, 0) == 0)
    symbolizer = nil
    #expect(isGone(process))
  }
}

@Suite("A connection with a program")
struct HelperConnectionTests {
  @Test("accepts requests that are longer than a socket's buffer")
  func acceptsLongRequests() throws {
    let questions = (0..<100_000).map { "question \($0)\n" }
    let answers = try makeConnection().ask(questions, timeout: .seconds(30))
    #expect(String(decoding: answers, as: UTF8.self) == questions.joined(separator: "\n") + "\n")
  }

  @Test("does not close a file that the host has opened with its number")
  func keepsForeignFilesOpen() throws {
    let folder = try TemporaryFolder()
    let file = open(folder.path("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    var connection: HelperConnection? = try makeConnection()
    let number = try #require(connection?.socket.descriptor)
    #expect(number > STDERR_FILENO)
    #expect(dup2(file, number) == number)
    #expect(throws: HelperConnection.Failure.self) {
      try connection?.ask(["question\n"], timeout: .seconds(30))
    }
    connection = nil
    #expect(write(number, "text", 4) == 4)  // still open
    #expect(close(number) == 0)
    #expect(try String(contentsOfFile: folder.path("file"), encoding: .utf8) == "text")
  }

  @Test("detects that it is in a forked child")
  func detectsAForkedChild() throws {
    let connection = try makeConnection()
    let child = forkProcess()
    if child == 0 { _exit(connection.isOwn ? 1 : 0) }
    var status: CInt = -1
    #expect(waitpid(child, &status, 0) == child)
    #expect(status == 0)
    #expect(connection.isOwn)
  }

  @Test("is inherited by no program")
  func isNotInherited() throws {
    let connection = try makeConnection()
    let flags = fcntl(connection.socket.descriptor, F_GETFD)
    #expect(flags & FD_CLOEXEC != 0)
  }

  private func makeConnection() throws -> HelperConnection {
    try HelperConnection(with: "/bin/cat", arguments: [], environment: [])
  }
}

/// A fake llvm-symbolizer, a script that records how often and as which process it runs.
private final class RecordingSymbolizer {
  private let folder: TemporaryFolder
  private let symbolicator: BinarySymbolicator
  private let frame: Frame
  private var requests: UInt64 = 0

  init(_ script: String, timeout: Duration = .seconds(60)) throws {
    folder = try makeSymbolizer("echo $$ >> \"$0.runs\"\n\(script)")
    symbolicator = BinarySymbolicator(
      binaries: nil, search: SymbolizerSearch(folders: [folder.path]), timeout: timeout)
    frame = makeFrame().frame
  }

  var notes: [String] { symbolicator.notes }

  /// - Returns: `nil` without a result.
  func requestAnotherFile() -> String? {
    requests += 1
    let frame = Frame(image: 0, offset: frame.offset + requests)
    return symbolicator.symbolicate([frame], of: ownCapture)[frame]?.first?.file
  }

  var runs: Int { get throws { try processes.count } }

  /// Of the last run.
  var process: pid_t { get throws { try #require(try processes.last) } }

  private var processes: [pid_t] {
    get throws {
      try String(contentsOfFile: folder.path("llvm-symbolizer.runs"), encoding: .utf8)
        .split(separator: "\n").compactMap { pid_t($0) }
    }
  }
}

private func realSymbolizer() throws -> String {
  try #require(SymbolizerSearch().symbolizer(forProcessWith: []))
}

/// Whether a process has ended; waits a moment, because a killed process ends asynchronously.
private func isGone(_ process: pid_t) -> Bool {
  for _ in 0..<6_000 {
    if kill(process, 0) != 0 { return errno == ESRCH }
    usleep(10_000)
  }
  return false
}

/// Swift hides `fork`, because most functions are not allowed in the child.
@_silgen_name("fork") private func forkProcess() -> pid_t
