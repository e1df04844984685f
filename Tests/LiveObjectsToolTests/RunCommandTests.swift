import Foundation
import LiveObjectsReport
import LiveObjectsSymbolication
import TestSupport
import Testing

@Suite("liveobjects run")
struct RunCommandTests {
  @Test(
    "ends as the program did",
    arguments: [("exit 7", 7), ("exit 64", 64), ("kill -KILL $$", 137), ("kill -TERM $$", 143)])
  func keepsTheStatus(script: String, status: Int32) throws {
    let result = try run(["--", "sh", "-c", script])
    #expect(result.status == .exited(status))
  }

  @Test("does not use the program's streams")
  func keepsStreams() throws {
    let result = try run(["--", "sh", "-c", "cat; echo error >&2; exit 1"], input: "from input")
    #expect(result.standardOutput == "from input")
    #expect(result.standardError.hasPrefix("error\n"))
  }

  @Test("passes the program's arguments unchanged")
  func passesArguments() throws {
    let result = try run(["--", "printf", "%s|", "--text", "a b", "--", ""])
    #expect(result.standardOutput == "--text|a b|--||")
  }

  @Test("passes bytes that are no UTF-8, in arguments and variables")
  func passesBytes() throws {
    let program = #"printf "%s%s" "$WORD" "$1" | od -An -tx1"#
    let script =
      #"export WORD="$(printf 'a\351\364\217\277\277')"; "$0" run -- sh -c "$1" sh "$(printf '\377z')""#
    let result = try runProgram("/bin/sh", ["-c", script, BuiltProducts.tool, program])
    #expect(result.standardOutput == " 61 e9 f4 8f bf bf ff 7a\n")
  }

  @Test("runs the program that a shell would run")
  func searchesAsAShell() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("first/program"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: folder.path("second"), withIntermediateDirectories: true)
    // Written by another process: a child that this one forks meanwhile would have the file open, and it could not run.
    _ = try runProgram(
      "/bin/sh", ["-c", #"echo 'echo $0 $1' >"$0" && chmod +x "$0""#, folder.path("second/program")])
    let path = "\(folder.path("first")):\(folder.path("second")):/bin:/usr/bin"
    let result = try run(["--", "program", "argument"], environment: ["PATH": path])
    #expect(result.standardOutput == "\(folder.path("second/program")) argument\n")
  }

  @Test("reports in one line why nothing was watched")
  func reportsWhyNothingWasWatched() throws {
    let result = try run(["--", "/bin/true"])
    #expect(result.status == .exited(3))
    #expect(result.standardOutput.isEmpty)
    #expect(result.standardError == "liveobjects: nothing was watched: /bin/true contains no Swift code\n")
  }

  @Test("reports it also if the program failed")
  func reportsItForAFailingProgram() throws {
    let result = try run(["--", "/bin/false"])
    #expect(result.status == .exited(1))
    #expect(result.standardError.contains("nothing was watched"))
  }

  @Test("detects a statically linked program", .enabled(if: staticProgram != nil))
  func detectsAStaticProgram() throws {
    let result = try run(["--", #require(staticProgram), "--version"])
    #expect(result.status == .exited(3))
    #expect(result.standardError.contains("linked statically"))
  }

  @Test("writes a report on an unwatched program, which has the reason and is not clean")
  func reportsAnUnwatchedProgram() throws {
    let folder = try TemporaryFolder()
    let result = try run(["--json", folder.path("report.json"), "--", "/bin/true"])
    let tracking = try JSONReport(folder.bytes(of: "report.json")).tracking
    #expect(result.status == .exited(3))
    #expect(!tracking.complete)
    #expect(tracking.notes == ["/bin/true contains no Swift code"])
  }

  @Test(
    "rejects invalid arguments with status 2",
    arguments: [
      [], ["--"], ["true"], ["--nonsense", "--", "true"], ["--fail-on", "everything", "--", "true"],
      ["--", "/nowhere/program"], ["--text", "/nowhere/report", "--", "true"],
      ["--text", "-", "--json", "-", "--", "true"],
      ["--text", "/tmp/liveobjects.both", "--json", "/tmp/../tmp/liveobjects.both", "--", "true"],
    ])
  func rejectsWithStatus2(arguments: [String]) throws {
    let result = try run(arguments)
    #expect(result.status == .exited(2))
    #expect(result.standardOutput.isEmpty)
    #expect(!result.standardError.isEmpty)
  }

  @Test("does not start the program if its own output cannot be written")
  func checksOutputsFirst() throws {
    let folder = try TemporaryFolder()
    _ = try run(["--text", "/nowhere/report", "--", "touch", folder.path("started")])
    #expect(try folder.names() == [])
  }

  @Test("leaves no empty report if the program cannot be started", arguments: [true, false])
  func leavesNoEmptyReport(existed: Bool) throws {
    let folder = try TemporaryFolder()
    if existed { try folder.write([], as: "report.json") }
    let result = try run(["--json", folder.path("report.json"), "--", "/nowhere/program"])
    #expect(result.status == .exited(2))
    #expect(try folder.names() == (existed ? ["report.json"] : []))
  }

  @Test(
    "reports in one line which options it overrides",
    arguments: [
      (["--options", "depth=3:output=/x"], "", "output"),
      (
        ["--options", "output='/a:b':format=json"], "exitcode=3:failon=growth",
        "output, format, failon, exitcode"
      ),
      (["--options", "depth=3"], "suppressions='output=1:tool=2'", nil),
    ])
  func reportsOverriddenOptions(arguments: [String], environment: String, keys: String?) throws {
    let result = try run(arguments + ["--", "true"], environment: ["LIVEOBJECTS_OPTIONS": environment])
    let line = keys.map { "liveobjects: no effect under run: \($0); use --text," }
    #expect(result.standardError.contains("no effect") == (keys != nil))
    #expect(line.map(result.standardError.contains) ?? true)
  }

  @Test("rejects options unknown to the preload library, and does not start the program")
  func rejectsWrongOptions() throws {
    let result = try run(["--options", "foo=bar", "--", "echo", "started"])
    #expect(result.status == .exited(2))
    #expect(result.standardOutput.isEmpty)
    #expect(
      result.standardError.hasPrefix(
        "liveobjects: --options: there is no option 'foo'; the options are output, format, stacks, depth, sample, "
      ))
  }

  @Test("watches despite wrong inherited options")
  func ignoresWrongInheritedOptions() throws {
    let result = try run(
      ["--fail-on", "none", "--", BuiltProducts.executable("Survivors")],
      environment: ["LIVEOBJECTS_OPTIONS": "foo=1"])
    #expect(result.status == .exited(0))
    #expect(result.standardError.contains("LiveObjects: LIVEOBJECTS_OPTIONS: "))
    #expect(result.standardError.contains("Survivors.PlantedClass"))
  }

  @Test("keeps the caller's LD_PRELOAD and LIVEOBJECTS_OPTIONS")
  func addsToTheEnvironment() throws {
    let result = try run(
      ["--options", "depth=3", "--", "sh", "-c", "echo $LD_PRELOAD; echo $LIVEOBJECTS_OPTIONS"],
      environment: ["LD_PRELOAD": "libm.so.6", "LIVEOBJECTS_OPTIONS": "stacks=off"])
    let lines = result.standardOutput.split(separator: "\n")
    #expect(lines.first == "\(BuiltProducts.preloadLibrary):libm.so.6")
    #expect(lines.last?.hasPrefix("stacks=off:depth=3:failon=leaks:output=") == true)
    #expect(lines.last?.firstMatch(of: /:format=capture:first=[0-9.]+$/) != nil)
  }

  #if os(Linux)
    @Test("refuses a folder that the loader would read differently", arguments: ["a b", "a:b", "a$LIB"])
    func refusesFolder(name: String) throws {
      let folder = try TemporaryFolder()
      let path = folder.path(name)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try copyExecutable(BuiltProducts.tool, to: path + "/liveobjects")
      try copyExecutable(BuiltProducts.preloadLibrary, to: path + "/libLiveObjectsPreload.so")
      let result = try runProgram(path + "/liveobjects", ["run", "--", "echo", "started"])
      #expect(result.status == .exited(2))
      #expect(result.standardOutput.isEmpty)
      #expect(result.standardError.contains("cannot be preloaded: LD_PRELOAD cannot name a path with"))
    }
  #endif

  @Test("leaves no file behind")
  func leavesNoFiles() throws {
    let folder = try TemporaryFolder()
    _ = try run(["--", "true"], environment: ["TMPDIR": folder.path])
    #expect(try folder.names() == [])
  }

  @Test(
    "leaves no file behind if no process reads its output", arguments: ["--json", "--text", "--capture"])
  func leavesNoFilesInABrokenPipe(output: String) throws {
    let folder = try TemporaryFolder()
    let elsewhere = try TemporaryFolder()
    let script = """
      mkfifo "$2" && exec 5<> "$2" 6> "$2" 5>&-
      "$0" run \(output) - -- sh -c '"$0" > /dev/null' "$1" >&6
      """
    let result = try runProgram(
      "/bin/bash",
      ["-c", script, BuiltProducts.tool, BuiltProducts.executable("Survivors"), elsewhere.path("fifo")],
      environment: ["TMPDIR": folder.path])
    #expect(result.status == .exited(2))
    #expect(result.standardError == "liveobjects: cannot write -: Broken pipe\n")
    #expect(try folder.names() == [])
  }

  @Test("ends at once on SIGTERM after the program has ended, and leaves no unfinished file behind")
  func endsAtOnce() throws {
    let (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
    // Only the first byte of the capture is read, so that the tool has to wait.
    let script = """
      mkfifo "$2" && exec 5<> "$2"
      "$0" run --json "$3" --capture "$2" -- "$1" > /dev/null 5>&- &
      head -c 1 <&5 > /dev/null
      kill -TERM $!
      wait $!
      """
    let result = try runProgram(
      "/bin/bash",
      [
        "-c", script, BuiltProducts.tool, BuiltProducts.executable("Survivors"), elsewhere.path("fifo"),
        elsewhere.path("json"),
      ],
      environment: ["TMPDIR": folder.path])
    #expect(result.status == .exited(143))
    #expect(try folder.names() == [])
    #expect(try elsewhere.names() == ["fifo", "json"])
  }

  @Test("ignores an empty TMPDIR")
  func ignoresAnEmptyTMPDIR() throws {
    let result = try run(["--", "sh", "-c", "echo $LIVEOBJECTS_OPTIONS"], environment: ["TMPDIR": ""])
    #expect(result.standardOutput.contains(":output='/tmp/liveobjects-"))
  }

  @Test(
    "passes on the signal actions that it was started with", arguments: ["", "trap '' CHLD PIPE INT HUP;"])
  func keepsSignalActions(preparation: String) throws {
    let program = "grep ^Sig[BIC] /proc/self/status"
    let plain = try runProgram("/bin/sh", ["-c", "\(preparation) exec \(program)"])
    let watched = try runProgram(
      "/bin/sh", ["-c", "\(preparation) exec \"$0\" run -- \(program)", BuiltProducts.tool])
    #expect(plain.standardOutput.contains("SigIgn"))
    #expect(watched.standardOutput == plain.standardOutput)
  }

  @Test("does not change the program's OOM score, also not in a second run")
  func keepsTheProgramsScore() throws {
    let plain = try runProgram("/bin/cat", ["/proc/self/oom_score_adj"]).standardOutput
    let script = "cat /proc/self/oom_score_adj; exec \"$0\" > /dev/null"
    let result = try run([
      "--explain-retains", "--", "sh", "-c", script, BuiltProducts.executable("Survivors"),
    ])
    #expect(result.standardError.contains("running again"))
    #expect(result.standardOutput == plain + plain)
  }

  @Test("forwards signals to the program", arguments: ["TERM", "HUP", "INT", "QUIT", "USR1", "USR2"])
  func forwardsSignals(signal: String) throws {
    let script = """
      set -m
      program='trap "echo received; exit 5" \(signal); echo ready; while :; do sleep 0.1; done'
      "$0" run -- sh -c "$program" > "$1" 2>&1 &
      until grep -q ready "$1"; do sleep 0.1; done
      kill -\(signal) $!
      wait $!
      echo $?
      """
    let folder = try TemporaryFolder()
    let result = try runProgram("/bin/bash", ["-c", script, BuiltProducts.tool, folder.path("output")])
    #expect(result.standardOutput == "5\n")
    #expect(try folder.text(of: "output").contains("received"))
  }
}

private func run(
  _ arguments: [String], environment: [String: String?] = [:], input: String = ""
) throws -> ProgramRun {
  try runProgram(
    BuiltProducts.tool, ["run"] + arguments, environment: environment, standardInput: input)
}

/// A program without dynamic loader that most systems have.
private let staticProgram: String? = ["/sbin/ldconfig", "/sbin/ldconfig.real"].first {
  ELFFile(path: $0).map { $0.interpreter == nil } ?? false
}
