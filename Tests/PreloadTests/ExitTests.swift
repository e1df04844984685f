import Foundation
import TestSupport
import Testing

/// However a program ends, its status is unchanged, and it is reported at most once.
struct ExitTests {
  let exiter = BuiltProducts.executable("Exiter")

  static let plainEnds = [
    ["return"], ["exit", "0"], ["exit", "5"], ["exit-from-thread", "6"], ["_exit", "7"],
    ["_exit-in-handler"], ["end-main-thread"], ["exit-cancelled", "7"],
  ]

  /// Since glibc 2.41 the plain program never ends: exit waits for a stream that another thread reads.
  static let libcWaitsForReaders: Bool = {
    guard let symbol = dlsym(nil, "gnu_get_libc_version") else { return false }
    let version = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)
    return String(cString: version()).compare("2.41", options: .numeric) != .orderedAscending
  }()

  @Test(.disabled(if: libcWaitsForReaders, "the plain program never ends"))
  func exitDuringAReadEndsTheProcess() throws {
    try statusAndOutputAreUnchanged(arguments: ["exit-while-input-is-read", "5"])
  }

  @Test(arguments: plainEnds)
  func statusAndOutputAreUnchanged(arguments: [String]) throws {
    let tool = try Script("echo report")
    let plain = try runProgram(exiter, arguments)
    let run = try runPreloaded(exiter, arguments, options: "tool=\(tool.path)")
    #expect(run.status == plain.status)
    #expect(run.standardOutput == plain.standardOutput)
    #expect(run.standardError == "report\n")
  }

  /// The kernel gives what the tool leaves behind to the next subreaper, or to the first process of a container.
  @Test func aSubreaperGetsNoChildrenOfTheTool() throws {
    let folder = try TemporaryFolder()
    let program = folder.path("program")
    try Compiler.compile(
      [
        try folder.source(
          """
          import Glibc

          final class Node {}
          @_silgen_name("prctl") func control(_ option: CInt, _ value: Int) -> CInt
          signal(SIGCHLD) { _ in write(STDOUT_FILENO, "child\\n", 6) }
          let node = Unmanaged.passRetained(Node())
          print(control(36 /* PR_SET_CHILD_SUBREAPER */, 1))
          """, named: "main.swift")
      ], [], to: program)
    for _ in 0..<5 {
      let run = try runPreloaded(program, environment: ["TMPDIR": folder.path])
      #expect(run.standardOutput == "0\n")
    }
  }

  @Test(
    "a program that ends with its last thread ends so beside the recorder's thread, with all of its output",
    arguments: ["budget=64M", "snapshots=on", "every=1h"])
  func lastThread(options: String) throws {
    let folder = try TemporaryFolder()
    let program = folder.path("program")
    try Compiler.compile(
      [
        try folder.source(
          """
          import Glibc

          var thread = pthread_t()
          pthread_create(&thread, nil, { _ in usleep(20_000); print("not flushed"); return nil }, nil)
          pthread_exit(nil)
          """, named: "main.swift")
      ], [], to: program)
    let tool = try Script("echo report")
    let run = try runPreloaded(
      program, options: "tool=\(tool.path):\(options)", environment: ["TMPDIR": folder.path])
    #expect(run.status == .exited(0))
    #expect(run.standardOutput == "not flushed\n")
    #expect(run.standardError == "report\n")
  }

  /// Locks that the report needs are never released. An emulated machine needs seconds to start a program.
  @Test(arguments: [
    ["_exit-while-heap-is-locked"], ["_exit-in-handler-in-heap"], ["exit-while-linker-is-locked", "5"],
  ])
  func endsWithoutAReportAreImmediate(arguments: [String]) throws {
    let tool = try Script("echo report")
    let start = ContinuousClock.now
    let plain = try runProgram(exiter, arguments)
    let middle = ContinuousClock.now
    let run = try runPreloaded(exiter, arguments, options: "tool=\(tool.path)")
    #expect(ContinuousClock.now - middle < .seconds(15) + (middle - start) * 10)
    #expect(run.status == plain.status)
    #expect(run.standardOutput == plain.standardOutput)
    #expect(!run.standardError.contains("report\n"))
  }

  /// The sandbox kills a process for any system call except those of its end.
  @Test(
    arguments: [["exit-sandboxed", "5"], ["_exit-sandboxed", "7"], ["work-sandboxed", "6"]],
    ["", ":retains=all"])
  func sandboxedProgramMakesNoForbiddenSystemCalls(arguments: [String], options: String) throws {
    let plain = try runProgram(exiter, arguments)
    let run = try runPreloaded(exiter, arguments, options: withoutTool + options)
    #expect(run.status == plain.status)
    #expect(run.status == .exited(Int32(arguments[1])!))
    #expect(run.standardOutput == plain.standardOutput)
    #expect(messages(run).count == 1)
    #expect(run.standardError.contains("seccomp"))
  }

  /// No message is written either, because that needs more system calls.
  @Test func undetectedSandboxIsRespected() throws {
    let plain = try runProgram(exiter, ["exit-sandboxed-unseen", "5"])
    let run = try runPreloaded(exiter, ["exit-sandboxed-unseen", "5"], options: withoutTool)
    #expect(run.status == .exited(5))
    #expect(run.visible == plain.visible)
  }

  @Test func quickExitKeepsItsStatusAndWritesNoReport() throws {
    let run = try runPreloaded(exiter, ["quick_exit", "6"], options: withoutTool)
    let plain = try runProgram(exiter, ["quick_exit", "6"])
    #expect(run.visible == plain.visible)
    #expect(run.status == .exited(6))
  }

  /// Without the library the program would have ended before the alarm.
  @Test(arguments: [["exit-before-alarm", "5"], ["_exit-before-alarm", "5"], ["exit-before-timer", "5"]])
  func alarmsOfTheProgramDoNotEndTheReport(arguments: [String]) throws {
    let slow = try Script("sleep 3; echo report")
    let run = try runPreloaded(exiter, arguments, options: "tool=\(slow.path)")
    #expect(run.status == .exited(5))
    #expect(run.standardError == "report\n")
  }

  @Test(arguments: [("exit", .signaled(SIGTERM)), ("_exit", .exited(5))] as [(String, ProgramRun.Status)])
  func signalDuringTheReportCountsOnlyBeforeTheEnd(way: String, status: ProgramRun.Status) throws {
    let terminating = try Script("\(Self.findHost)\nkill -TERM $host; echo report")
    let run = try runPreloaded(exiter, [way, "5"], options: "tool=\(terminating.path)")
    #expect(run.status == status)
    #expect(run.standardError == "report\n")
  }

  /// Without the library the process would have ended before the fault.
  @Test(arguments: ["exit-while-thread-faults", "_exit-while-thread-faults", "exit-while-thread-writes"])
  func faultOfAnotherThreadDuringTheReportChangesNothing(way: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("now")
    let waiting = try Script("touch '\(path)'; while test -e '\(path)'; do :; done; sleep 0.5; echo report")
    let plain = try runProgram(exiter, [way, "5", path])
    let run = try runPreloaded(exiter, [way, "5", path], options: "tool=\(waiting.path)")
    #expect(run.status == plain.status)
    #expect(run.standardOutput == plain.standardOutput)
    #expect(run.standardError == "report\n")
  }

  @Test func otherThreadsYieldTheProcessorsToTheReport() throws {
    let listing = try Script(
      "\(Self.findHost)\nfor task in /proc/$host/task/*; do cut -d ' ' -f 19 $task/stat; done")
    let run = try runPreloaded(exiter, ["exit-among-threads", "5"], options: "tool=\(listing.path)")
    let priorities = run.standardError.split(separator: "\n").compactMap { Int32($0) }
    let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    #expect(priorities.sorted() == [own] + Array(repeating: min(own + 10, 19), count: 4))
  }

  @Test func outputIsWrittenBeforeTheReport() throws {
    let reading = try Script("\(Self.findHost)\necho \"written: $(cat /proc/$host/fd/1)\"")
    let run = try runPreloaded(exiter, ["exit", "5"], options: "tool=\(reading.path)")
    #expect(run.standardError == "written: about to end\n")
    #expect(run.standardOutput == "about to end\n")
  }

  /// The process that starts a tool has a supervisor process in between.
  static let findHost = "host=$(cut -d ' ' -f 4 /proc/$PPID/stat)"

  @Test(arguments: [["abort"], ["terminate"], ["segfault"]])
  func deathBySignalIsUnchanged(arguments: [String]) throws {
    let plain = try runProgram(exiter, arguments)
    let run = try runPreloaded(exiter, arguments, options: withoutTool)
    #expect(run.status == plain.status)
    #expect(messages(run).isEmpty)
  }

  @Test(arguments: [(["return"], 9), (["_exit", "0"], 9), (["exit", "5"], 5)] as [([String], Int32)])
  func failingFindingsChangeOnlySuccess(arguments: [String], status: Int32) throws {
    let failing = try Script("echo finding; exit 1")
    let plain = try runProgram(exiter, arguments)
    let run = try runPreloaded(exiter, arguments, options: "tool=\(failing.path):exitcode=9")
    #expect(run.status == .exited(status))
    #expect(run.standardError == "finding\n")
    #expect(run.standardOutput == plain.standardOutput)
  }

  @Test(arguments: ["exit-from-two-threads", "exit-from-many-threads"])
  func exitOfAThreadDoesNotEndTheReportOfAnother(way: String) throws {
    let slow = try Script("sleep 0.2; echo report; exit 0")
    let run = try runPreloaded(exiter, [way, "4"], options: "tool=\(slow.path)")
    #expect(run.status == .exited(4))
    #expect(run.standardError == "report\n")
  }

  /// A library that is initialised before ours has a handler that runs after ours: the second thread
  /// must not go on in a list of handlers that the first has freed.
  @Test func secondExitWaitsForTheFirst() throws {
    let folder = try TemporaryFolder()
    let source = try folder.source(
      """
      #define _GNU_SOURCE
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      static void last(int status, void *context) {
        for (int i = 0; i < 1000; i++) memset(malloc(1040), 0x55, 1040);
        usleep(100000);
      }
      __attribute__((constructor)) static void start(void) { on_exit(last, NULL); }
      """)
    let library = folder.path("liblast.so")
    try Compiler.run("clang", ["-shared", "-fPIC", source, "-o", library])
    let slow = try Script("sleep 0.2; echo report")
    let run = try runPreloaded(
      exiter, ["exit-from-two-threads", "4"], options: "tool=\(slow.path)",
      environment: ["LD_PRELOAD": "\(BuiltProducts.preloadLibrary):\(library)"])
    #expect(run.status == .exited(4))
    #expect(run.standardError == "report\n")
  }

  @Test(arguments: ["exit 0", "exit 3"])
  func passingFindingsChangeNothing(end: String) throws {
    let passing = try Script("echo report; \(end)")
    let run = try runPreloaded(exiter, ["return"], options: "tool=\(passing.path):exitcode=9")
    #expect(run.status == .exited(0))
    #expect(run.standardError == "report\n")
  }

  @Test func withoutExitcodeFailingFindingsChangeNothing() throws {
    let failing = try Script("echo finding; exit 1")
    let run = try runPreloaded(exiter, ["return"], options: "tool=\(failing.path)")
    #expect(run.status == .exited(0))
  }

  @Test func forkedChildrenReportNothing() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("report")
    let tool = try Script("echo report")
    let run = try runPreloaded(
      BuiltProducts.executable("Forker"), ["20"], options: "tool=\(tool.path):output=\(output)")
    #expect(run.status == .exited(0))
    #expect(run.standardOutput.contains("\"wrong\": 0"))
    #expect(try folder.text(of: "report") == "report\n")
  }

  @Test func executedProgramReportsInsteadOfThePreviousOne() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("report")
    let survivors = BuiltProducts.executable("Survivors")
    let tool = try Script("\(Self.findHost)\nreadlink /proc/$host/exe")
    let run = try runPreloaded(
      BuiltProducts.executable("Execer"), [survivors], options: "tool=\(tool.path):output=\(output)")
    #expect(run.status == .exited(0))
    #expect(try folder.text(of: "report") == "\(survivors)\n")
  }
}
