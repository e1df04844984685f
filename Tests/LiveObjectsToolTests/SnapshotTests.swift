import Foundation
import TestSupport
import Testing

/// The fixture `Sessions` runs shell commands, in which its process id is `$PPID`. Before each it adds 100 sessions to its
/// store and leaks one.
@Suite("liveobjects snapshot")
struct SnapshotTests {
  private let folder: TemporaryFolder
  private let tool = BuiltProducts.tool

  init() throws { folder = try TemporaryFolder() }

  @Test("reports the live objects and the leaks of a running program, and what is new since the last one")
  func reports() throws {
    let run = try serve([
      "\(tool) snapshot $PPID --json \(folder.path("first"))",
      "\(tool) snapshot $PPID --since-last --json \(folder.path("second"))",
      "\(tool) snapshot $PPID --json \(folder.path("third"))",
    ])
    #expect(run.statuses == [1, 1, 1])
    #expect(try instances(in: "first") == ["retainCycle": 1, "heldBy": 100])
    #expect(try instances(in: "second") == ["retainCycle": 1, "heldBy": 100])
    #expect(try instances(in: "third") == ["retainCycle": 3, "heldBy": 300])
  }

  @Test("leaves the program's descriptors and its output as they are, and no file behind")
  func leavesTheProgramAlone() throws {
    let commands = [
      "ls /proc/$PPID/fd", "\(tool) snapshot $PPID > \(folder.path("text"))", "ls /proc/$PPID/fd",
      "ls /tmp/liveobjects-$(id -u)/$PPID.socket",
    ]
    let (plain, watched) = (try serve(commands, watched: false), try serve(commands))
    #expect(plain.statuses == [0, 2, 0, 2])
    #expect(watched.statuses == [0, 1, 0, 0])
    let listed = { (output: String) in output.split(separator: "\n").filter { Int($0) != nil } }
    #expect(listed(watched.output) == listed(plain.output))
    let socket = try #require(watched.output.split(separator: "\n").first { $0.hasSuffix(".socket") })
    #expect(!FileManager.default.fileExists(atPath: String(socket)))
    #expect(try folder.text(of: "text").contains("retain cycle: "))
  }

  @Test("gets an answer, many times at once, and after another one was killed")
  func answersMany() throws {
    let snapshot = "\(tool) snapshot $PPID --fail-on none --json /dev/null"
    let run = try serve([
      "for t in 0 0.02 0.05 0.1 0.2; do \(snapshot) & sleep $t; kill -9 $!; wait; done; \(snapshot)",
      "for i in $(seq 100); do \(snapshot) || exit 9 & pids=\"$pids $!\"; done; for p in $pids; do wait $p || exit; done",
    ])
    #expect(run.statuses == [0, 0], "\(run.errors)")
  }

  @Test("replaces the socket of a process that ended without removing it")
  func replacesAStaleSocket() throws {
    // The program executes itself, with the same process id.
    let run = try serve([
      "\(tool) snapshot $PPID --fail-on none --text /dev/null", "execute",
      "\(tool) snapshot $PPID --fail-on none --text /dev/null",
    ])
    #expect(run.statuses == [0, 0], "\(run.errors)")
  }

  @Test("is no more to be had once the program restricts its system calls")
  func endsInASandbox() throws {
    let run = try serve(["\(tool) snapshot $PPID --text /dev/null", "restrict", "\(tool) snapshot $PPID"])
    #expect(run.output.contains("restricted true"))
    #expect(run.statuses == [1, 2], "\(run.errors)")
  }

  @Test("reads types that are nested hundreds of levels deep, and the program goes on")
  func readsNestedTypes() throws {
    let run = try serve(["nest", "\(tool) snapshot $PPID --text \(folder.path("text")) --list held", "true"])
    #expect(run.statuses == [1, 0], "\(run.errors)")
    #expect(try folder.text(of: "text").contains("Nest<"))
  }

  @Test("is refused to other users", .enabled(if: geteuid() == 0, "only root can be another user"))
  func isRefused() throws {
    let other = "setpriv --reuid 65534 --clear-groups"
    // The second one may enter the folder all the same, and use the socket.
    let privileged = "\(other) --inh-caps +dac_override --ambient-caps +dac_override"
    let run = try serve(["\(other) \(tool) snapshot $PPID", "\(privileged) \(tool) snapshot $PPID"])
    #expect(run.statuses == [2, 2])
    let answers = run.errors.split(separator: "\n").filter { $0.contains(" does not answer: ") }
    #expect(answers.count == 2, "\(run.errors)")
    #expect(answers.last?.contains("Connection refused") == true, "\(run.errors)")
  }

  @Test("says so if the disk is full", .enabled(if: geteuid() == 0, "only root can mount one"))
  func reportsAFullDisk() throws {
    let small = "mount -t tmpfs -o size=4k none /mnt && TMPDIR=/mnt exec \(tool) snapshot"
    let run = try serve(["unshare -m sh -c '\(small) '$PPID"])
    #expect(run.statuses == [2])
    #expect(
      run.errors.contains("cannot be stored in /mnt (TMPDIR): No space left on device"), "\(run.errors)")
  }

  @Test("of a program without snapshots=on, or of none, says what to do")
  func explains() throws {
    let run = try serve(["\(tool) snapshot $PPID; ls /proc/$PPID/task"], options: "")
    #expect(run.errors.contains("does not answer: No such file or directory"))
    #expect(run.errors.contains("snapshots=on"))
    #expect(run.output.split(separator: "\n").filter { Int($0) != nil }.count == 1)
    let none = try runProgram(tool, ["snapshot", "999999999"])
    #expect(none.status == .exited(2))
    #expect(none.standardError == "liveobjects: there is no process 999999999\n")
  }

  // MARK: - Counts

  @Test("top shows the live objects by type")
  func showsCounts() throws {
    let run = try serve(["\(tool) top $PPID", "\(tool) top $PPID --count 2 --interval 0.1"])
    #expect(run.statuses == [0, 0], "\(run.errors)")
    let rows = run.output.split(separator: "\n").filter { $0.hasSuffix(" Sessions.Session") }
    #expect(rows.map { $0.split(separator: " ").first } == ["101", "202", "202"])
    #expect(run.output.contains("Sessions (process "))
  }

  @Test("top takes the size that the terminal has now")
  func fitsTheTerminal() throws {
    let (terminal, log) = (folder.path("terminal"), folder.path("log"))
    let commands = "stty rows 20 cols 110; tty >\(terminal); \(tool) top $PPID --count 100000 --interval 0.2"
    let run = try serve([
      """
      export TERM=xterm; script -qfc "\(commands)" \(log) &
      until_tables() { until [ $(grep -c '(process ' \(log)) -ge $1 ]; do kill -0 $! && sleep 0.1 || break; done; }
      until_tables 1; stty -F $(cat \(terminal)) cols 50; until_tables $(($(grep -c '(process ' \(log)) + 2)); kill $!
      """
    ])
    let tables = run.output.components(separatedBy: "\u{1b}[2J").dropFirst()
    let texts = tables.map { $0.replacing(/\u{1b}\[[0-9]*[A-Za-z]/, with: "") }
    let widths = texts.map { $0.split(whereSeparator: \.isNewline).map(\.count).max() ?? 0 }
    try #require(widths.count >= 3, "\(run.output)")
    // The last table may be cut.
    #expect(widths[0] > 50 && widths[widths.count - 2] <= 50, "\(run.output)")
  }

  @Test("top ends with the program")
  func endsWithTheProgram() throws {
    let (output, status) = (folder.path("output"), folder.path("status"))
    let top = "\(tool) top $PPID --count 1000 --interval 0.1 >\(output) 2>&1"
    _ = try serve(["mkfifo \(status); (\(top); echo $? >\(status)) & sleep 1"])
    #expect(try runProgram("/bin/cat", [status]).standardOutput == "0\n")
    let last = try folder.text(of: "output").split(separator: "\n").last
    #expect(last?.hasPrefix("process ") == true && last?.hasSuffix(" has ended") == true, "\(last ?? "")")
  }

  @Test("top of a program that does not answer says what to do")
  func explainsTop() throws {
    let run = try serve(["\(tool) top $PPID"], options: "")
    #expect(run.statuses == [2])
    #expect(run.errors.contains("snapshots=on"))
  }

  @Test("every=1s writes a timeline, which begins another file after as many entries as it keeps")
  func writesATimeline() throws {
    let file = "\(folder.path("report")).$PPID.$PPID.timeline"
    let run = try serve(
      [
        // Later entries may count the sessions of the next command.
        "sleep 3.6; ls -l \(file) \(file).1; cat \(file).1 >\(folder.path("1")); cat \(file) >\(folder.path("2"))",
        "\(tool) timeline \(folder.path("1")) \(folder.path("2")) --csv \(folder.path("csv"))",
        "\(tool) timeline \(file)",
      ], options: ":every=1s:keep=2")
    #expect(run.statuses == [0, 0, 0], "\(run.errors)")
    #expect(run.output.components(separatedBy: "-rw-------").count == 3)
    #expect(run.output.contains(": too few to distinguish growth from load; 20 are needed"))
    let rows = try folder.text(of: "csv").split(whereSeparator: \.isNewline).filter {
      $0.contains("Sessions.Session")
    }
    #expect(rows.count >= 3)
    #expect(rows.allSatisfy { $0.hasSuffix(",\"Sessions.Session\",101,2424") }, "\(rows)")
  }

  @Test("a capture is written when a type grows, once for each time that it doubles")
  func capturesGrowth() throws {
    let captures = "\(folder.path("report")).$PPID.$PPID.growth-*.capture"
    let run = try serve(
      [
        "sleep 1.4", "sleep 1.2", "sleep 1.2; ls \(captures)",
        "\(tool) report --list held \(captures); test $? = 1",
      ], options: ":every=1s:trigger=2x")
    #expect(run.statuses == [0, 0, 0, 0], "\(run.errors)")
    #expect(run.output.components(separatedBy: ".capture\n").count == 2)
    #expect(run.output.contains("Store.shared.sessions"))
  }

  @Test("a timeline that cannot be written is one line, and the program runs on")
  func reportsAWrongPath() throws {
    let run = try serve(["true"], options: ":every=1s:output=/nowhere/report")
    #expect(run.statuses == [0])
    #expect(
      run.errors.contains(
        "the recorder's thread does not run (snapshots, every, budget): "
          + "the timeline cannot be written (/nowhere/report."))
  }

  @Test("files that are no timeline are refused")
  func refusesOtherFiles() throws {
    let capture = folder.path("capture")
    let run = try serve(["\(tool) snapshot $PPID --capture \(capture); \(tool) timeline \(capture)"])
    #expect(run.statuses == [2])
    #expect(run.errors.contains("has no counts: programs write them with every=10s"))
  }

  // MARK: - The program

  private struct Run {
    var output: String
    var errors: String

    /// The exit status of each command.
    var statuses: [Int] {
      output.split(separator: "\n").filter { $0.hasPrefix("status ") }.compactMap { Int($0.dropFirst(7)) }
    }
  }

  private func serve(
    _ commands: [String], watched isWatched: Bool = true, options: String = ":snapshots=on"
  ) throws -> Run {
    let environment: [String: String?] = [
      "LD_PRELOAD": BuiltProducts.preloadLibrary,
      "LIVEOBJECTS_OPTIONS": "output=\(folder.path("report.%p")):verbosity=0\(options)",
    ]
    let run = try runProgram(
      BuiltProducts.executable("Sessions"), commands, environment: isWatched ? environment : [:])
    #expect(run.status == .exited(0), "\(run.standardError)")
    return Run(output: run.standardOutput, errors: run.standardError)
  }

  /// The instances of `Session` by verdict.
  private func instances(in name: String) throws -> [String: Int] {
    try JSONReport(folder.bytes(of: name)).findings.filter { $0.type.hasSuffix("Session") }.reduce(into: [:])
    {
      $0[$1.verdict] = $1.instances
    }
  }
}
