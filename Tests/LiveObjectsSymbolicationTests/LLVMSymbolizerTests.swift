import Foundation
import LiveObjectsAnalysis
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsSymbolication
@testable import LiveObjectsSystem

@Suite("An llvm-symbolizer is asked again and again")
struct LLVMSymbolizerTests {
  @Test("without being started again")
  func answersFromOneProcess() throws {
    let symbolizer = try AskedSymbolizer("exec '\(realSymbolizer())' \"$@\"")
    for _ in 1...4 { #expect(symbolizer.askForAnotherFile() != nil) }
    #expect(try symbolizer.runs == 1)
    #expect(symbolizer.notes.isEmpty)
  }

  @Test("and started once more when it has died, not twice")
  func isStartedOnceMore() throws {
    let symbolizer = try AskedSymbolizer(
      "read -r question; echo \"$question\" | '\(realSymbolizer())' \"$@\"; exit 3")
    #expect(symbolizer.askForAnotherFile() != nil)
    #expect(symbolizer.askForAnotherFile() != nil)
    #expect(symbolizer.notes.isEmpty)
    for _ in 1...3 { #expect(symbolizer.askForAnotherFile() == nil) }
    #expect(try symbolizer.runs == 2)
    #expect(symbolizer.notes.contains { $0.contains("llvm-symbolizer failed (it ended with status 3)") })
  }

  @Test("until it hangs: it is killed, and not asked any more")
  func isKilledWhenItHangs() throws {
    let symbolizer = try AskedSymbolizer("exec sleep 600", timeout: .seconds(2))
    let start = ContinuousClock.now
    for _ in 1...3 { #expect(symbolizer.askForAnotherFile() == nil) }
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(try symbolizer.runs == 1)
    #expect(symbolizer.notes.contains { $0.contains("llvm-symbolizer failed (it did not answer") })
    #expect(try isGone(symbolizer.process))
  }

  @Test("until it prints something else")
  func isNotBelievedAnythingElse() throws {
    let symbolizer = try AskedSymbolizer(
      "while read -r question; do echo 0x1; echo f; echo /a:1:1; echo; done")
    for _ in 1...3 { #expect(symbolizer.askForAnotherFile() == nil) }
    #expect(try symbolizer.runs == 1)
    #expect(symbolizer.notes.contains { $0.contains("it answered something else") })
    #expect(try isGone(symbolizer.process))
  }

  @Test("by another process where a file was replaced: what one has read it keeps")
  func readsReplacedFilesAnew() throws {
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

  @Test("and ends with its last client")
  func endsWithItsSymbolicator() throws {
    var symbolizer: AskedSymbolizer? = try AskedSymbolizer("exec '\(realSymbolizer())' \"$@\"")
    _ = symbolizer?.askForAnotherFile()
    let process = try #require(try symbolizer?.process)
    #expect(kill(process, 0) == 0)
    symbolizer = nil
    #expect(isGone(process))
  }
}

@Suite("A connection with a program")
struct ConversationTests {
  @Test("takes questions that are longer than what lies between two processes")
  func takesLongQuestions() throws {
    let questions = (0..<100_000).map { "question \($0)\n" }
    let answers = try makeConversation().ask(questions, timeout: .seconds(30))
    #expect(String(decoding: answers, as: UTF8.self) == questions.joined(separator: "\n") + "\n")
  }

  @Test("leaves a file alone that the host has opened in its place")
  func leavesForeignFilesAlone() throws {
    let folder = try TemporaryFolder()
    let file = open(folder.path("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    var connection: HelperConnection? = try makeConversation()
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

  @Test("is known to be another process's in a forked child")
  func isKnownToBeAnothers() throws {
    let connection = try makeConversation()
    let child = forkProcess()
    if child == 0 { _exit(connection.isOwn ? 1 : 0) }
    var status: CInt = -1
    #expect(waitpid(child, &status, 0) == child)
    #expect(status == 0)
    #expect(connection.isOwn)
  }

  @Test("is inherited by no program")
  func isInheritedByNobody() throws {
    let connection = try makeConversation()
    let flags = fcntl(connection.socket.descriptor, F_GETFD)
    #expect(flags & FD_CLOEXEC != 0)
  }

  private func makeConversation() throws -> HelperConnection {
    try HelperConnection(with: "/bin/cat", arguments: [], environment: [])
  }
}

/// A script that passes for llvm-symbolizer, and notes how often and as which process it runs.
private final class AskedSymbolizer {
  private let folder: TemporaryFolder
  private let symbolicator: BinarySymbolicator
  private let frame: Frame
  private var asked: UInt64 = 0

  init(_ script: String, timeout: Duration = .seconds(60)) throws {
    folder = try makeSymbolizer("echo $$ >> \"$0.runs\"\n\(script)")
    symbolicator = BinarySymbolicator(
      binaries: nil, search: SymbolizerSearch(folders: [folder.path]), timeout: timeout)
    frame = makeFrame().frame
  }

  var notes: [String] { symbolicator.notes }

  /// - Returns: `nil` if it did not tell.
  func askForAnotherFile() -> String? {
    asked += 1
    let frame = Frame(image: 0, offset: frame.offset + asked)
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

/// A process that was killed is gone a moment later.
private func isGone(_ process: pid_t) -> Bool {
  for _ in 0..<6_000 {
    if kill(process, 0) != 0 { return errno == ESRCH }
    usleep(10_000)
  }
  return false
}

/// Swift hides it, for most of what a program may do is not allowed in the child.
@_silgen_name("fork") private func forkProcess() -> pid_t
