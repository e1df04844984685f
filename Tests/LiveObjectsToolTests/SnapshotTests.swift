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
      "for i in 1 2 3 4 5 6 7 8; do \(snapshot) || exit 9 & pids=\"$pids $!\"; done; for p in $pids; do wait $p || exit; done",
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
    let json = try JSONSerialization.jsonObject(with: Data(folder.bytes(of: name))) as? [String: Any]
    let findings = try #require(json?["findings"] as? [[String: Any]])
    return findings.filter { ($0["type"] as? String)?.hasSuffix("Session") == true }.reduce(into: [:]) {
      $0[$1["verdict"] as? String ?? ""] = $1["instances"] as? Int
    }
  }
}
