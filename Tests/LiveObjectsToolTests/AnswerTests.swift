import CaptureFixtures
import Foundation
import Glibc
import TestSupport
import Testing

@testable import LiveObjectsTool

/// A user without processes: the folder for its sockets is this suite's.
private let user: uid_t = 54_321

@Suite("the answer to liveobjects snapshot")
struct AnswerTests {
  @Test("is a capture of the process")
  func isACapture() throws {
    let bytes = CaptureBuilder().bytes
    let process = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: Int32.self) }
    var answer = Answer(of: process)
    for byte in bytes { try answer.add([byte]) }
    #expect(!answer.isEmpty)
    var other = Answer(of: process + 1)
    #expect(throws: ToolFailure.self) { try other.add(bytes) }
  }

  @Test("is refused from its beginning on if it is anything else")
  func isNothingElse() {
    let header = Array("LiveObj\0".utf8) + [1, 0, 0, 0, 16, 0, 0, 0]
    for bytes in [[UInt8](repeating: 0, count: 100), header + [UInt8](repeating: 0, count: 100)] {
      var answer = Answer(of: 1)
      #expect(throws: ToolFailure.self) { try answer.add(bytes) }
    }
  }

  @Test("is no larger than what the process's memory allows")
  func isLimited() throws {
    let bytes = CaptureBuilder().bytes
    let process = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: Int32.self) }
    var answer = Answer(of: process, limit: bytes.count + 1)
    try answer.add(bytes)
    try answer.add([0])
    #expect(throws: ToolFailure.self) { try answer.add([0]) }
    // A program that does not run any more.
    var large = Answer(of: process)
    try large.add(bytes)
    #expect(throws: ToolFailure.self) {
      for _ in 0...256 { try large.add([UInt8](repeating: 0, count: 1 << 20)) }
    }
  }

  @Test("of a socket that another process listens at is not asked for")
  func comesFromTheProcess() throws {
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "/bin/sleep")
    program.arguments = ["60"]
    try program.run()
    defer { program.terminate() }
    let child = program.processIdentifier
    let folder = "/tmp/liveobjects-\(geteuid())"
    mkdir(folder, 0o700)
    let path = "\(folder)/\(child).socket"
    let listener = listen(at: path)
    defer {
      close(listener)
      unlink(path)
    }
    let run = try runProgram(BuiltProducts.tool, ["snapshot", "\(child)"])
    #expect(run.status == .exited(2))
    #expect(
      run.standardError.hasSuffix("another process has its socket in \(folder)\n"), "\(run.standardError)")
  }

  @Test(
    "of a folder that others can use is not asked for",
    .enabled(if: geteuid() == 0, "only root can be another user"), .serialized,
    arguments: [
      "mkdir -m 777 $f; chown $user $f", "mkdir -m 700 $f",
      "mkdir -m 700 $f.d; chown $user $f.d; ln -s $f.d $f",
    ])
  func comesFromAClosedFolder(make: String) throws {
    let folder = "/tmp/liveobjects-\(user)"
    defer { _ = try? runProgram("/bin/rm", ["-rf", folder, folder + ".d"]) }
    let script = """
      user=\(user) f=\(folder)
      \(make); setpriv --reuid $user --clear-groups sleep 60 &
      until [ $(stat -c %u /proc/$!) = $user ]; do sleep 0.1; done
      \(BuiltProducts.tool) snapshot $!; s=$?; kill $!; exit $s
      """
    let run = try runProgram("/bin/sh", ["-c", script])
    #expect(run.status == .exited(2))
    #expect(run.standardError.contains("\(folder) is no folder that only user \(user) can use"), "\(run)")
  }

  private func listen(at path: String) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let result = withUnsafeBytes(of: &address) {
      bind(listener, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    #expect(result == 0 && Glibc.listen(listener, 1) == 0)
    return listener
  }
}
