import CaptureFixtures
import Foundation
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsReport
@testable import LiveObjectsSymbolication

/// A capture may come from anywhere: its paths and names may be chosen to harm the reader.
@Suite("liveobjects report, given an untrusted capture,")
struct UntrustedCaptureTests {
  private let folder: TemporaryFolder
  private let program: KnownProgram

  init() throws {
    folder = try TemporaryFolder()
    program = try KnownProgram()
  }

  @Test("executes nothing that the capture names", arguments: [true, false])
  func executesNothing(isAbsolute: Bool) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("usr/bin"), withIntermediateDirectories: true)
    let marker = folder.path("executed")
    try folder.writeScript("echo > '\(marker)'", to: "usr/bin/llvm-symbolizer")
    let prefix = isAbsolute ? folder.path + "/" : ""
    let result = try report(
      program.capture { $0.image(prefix + "usr/lib/swift/linux/libswiftCore.so", isSystem: true) })
    #expect(result.status == .exited(0))
    #expect(result.standardOutput.contains(program.function))
    #expect(try !folder.names().contains("executed"))
  }

  @Test("executes nothing in the current folder, whatever PATH says", arguments: [".:", ":", "bin:", ""])
  func executesNothingHere(path: String) throws {
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: true)
    let script = "echo > '\(folder.path("executed"))'"
    for name in ["llvm-symbolizer", "bin/llvm-symbolizer", "llvm-symbolizer-30"] {
      try folder.writeScript(script, to: name)
    }
    let result = try report(program.capture(), environment: ["PATH": path])
    #expect(result.standardOutput.contains(program.function))
    #expect(try !folder.names().contains("executed"))
  }

  @Test("uses the toolchain of a process that the caller has run itself")
  func usesTheToolchainOfAnOwnRun() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("usr/bin"), withIntermediateDirectories: true)
    try folder.writeScript("echo > '\(folder.path("executed"))'", to: "usr/bin/llvm-symbolizer")
    let capture = program.capture {
      $0.image(folder.path + "/usr/lib/swift/linux/libswiftCore.so", isSystem: true)
    }
    _ = try report(capture, ["--own-run"])
    #expect(try folder.names().contains("executed"))
  }

  @Test("opens no file by a path that depends on the current folder")
  func opensNothingHere() throws {
    try copyExecutable(program.path, to: folder.path("demo"))
    let result = try report(program.capture(at: "demo"))
    #expect(!result.standardOutput.contains(program.function))
    #expect(result.standardOutput.contains("note: demo: not on this machine"))
  }

  @Test("opens no virtual file", arguments: ["/proc/self/fd/0", "/dev/stdin"])
  func opensNoOpenFiles(path: String) throws {
    let result = try report(program.capture(at: path), standardInputFrom: program.path)
    #expect(!result.standardOutput.contains(program.function))
    #expect(result.standardOutput.contains("note: \(path): not on this machine"))
  }

  @Test("opens no FIFO, which would block or wake another process")
  func opensNoFIFO() throws {
    let path = folder.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    let openings = Openings(of: path)
    let result = try report(program.capture(at: path))
    #expect(result.status == .exited(0))
    #expect(openings.count == 0)
    #expect(try report(program.capture(), ["--binaries", folder.path]).status == .exited(0))
    #expect(openings.count == 0)
  }

  @Test("opens no device", arguments: ["/dev/zero", "/dev/null", "/dev/tty"])
  func opensNoDevice(path: String) throws {
    let openings = Openings(of: path)
    let result = try report(program.capture(at: path))
    #expect(result.status == .exited(0))
    #expect(result.standardOutput.contains("note: \(path): not on this machine"))
    // Other processes open these as well, but none opens a terminal that does not exist.
    if path == "/dev/tty" { #expect(openings.count == 0) }
  }

  @Test("refuses a sparse file that is larger than the memory")
  func refusesASparseFile() throws {
    // The version, the size of the header, and one section of half a terabyte, as in a capture.
    let header: [UInt32] = [1, 16, 0x4b41_5453, 0, 0, 128]
    let bytes = Array("LiveObj\0".utf8) + header.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    let path = try folder.write(bytes, as: "sparse")
    try #require(truncate(path, 1 << 40) == 0)
    let result = try runProgram(BuiltProducts.tool, ["report", path])
    #expect(result.status == .exited(2))
    #expect(result.standardError.contains("cannot read \(path): "))
  }

  @Test("says what to do about a JSON report that is too large")
  func refusesALargeReport() throws {
    let path = try folder.write("{".utf8, as: "large.json")
    try #require(truncate(path, 1 << 29) == 0)
    let result = try runProgram(BuiltProducts.tool, ["report", path])
    #expect(result.status == .exited(2))
    #expect(
      result.standardError
        == "liveobjects: cannot read \(path): it is a JSON report of more than 256 MB: "
        + "use the captures that `--capture` writes\n")
  }

  @Test("uses no names from another build")
  func usesNoOtherBuild() throws {
    let result = try report(program.capture(buildID: [1, 2, 3]))
    #expect(!result.standardOutput.contains(program.function))
    #expect(
      result.standardOutput.contains("note: \(program.path): another build (build id differs)"))
  }

  @Test("does not pass a file without a build id to a symbolizer")
  func usesNoSymbolizerWithoutBuildID() throws {
    let anonymous = folder.path("anonymous")
    try Compiler.run(
      "clang", ["-g", "-Wl,--build-id=none", "-o", anonymous, folder.source("int main(void) { return 0; }")])
    let named = try report(
      program.capture(at: anonymous, buildID: [], address: KnownProgram.address(of: "main", in: anonymous)))
    #expect(named.standardOutput.contains("main"))
    #expect(named.standardOutput.contains("note: \(anonymous): no build id"))
    #expect(!named.standardOutput.contains("main.c:"))
  }

  /// In the folder, as the current one.
  private func report(
    _ capture: CaptureBuilder, _ arguments: [String] = [], environment: [String: String?] = [:],
    standardInputFrom input: String = "/dev/null"
  ) throws -> ProgramRun {
    try folder.write(capture.bytes, as: "capture")
    let script = "cd \"$0\" && input=$1 && shift && exec \"$@\" < \"$input\""
    return try runProgram(
      "/bin/sh",
      ["-c", script, folder.path, input, BuiltProducts.tool, "report", "capture"] + arguments,
      environment: environment)
  }
}

/// A fixture, with a function that is the call site in the captures of these tests.
private struct KnownProgram {
  let path = BuiltProducts.executable("Survivors")
  let function = "plantClasses"
  private let buildID: [UInt8]
  private let address: UInt64

  init() throws {
    buildID = try #require(ELFFile(path: path)).buildID
    address = try Self.address(of: function, in: path)
  }

  static func address(of function: String, in path: String) throws -> UInt64 {
    let file = try #require(ELFFile(path: path))
    return try #require(SymbolTable(of: file, .functions).all.first { $0.name.contains(function) }).address
  }

  /// A capture of this program with one object.
  func capture(
    at path: String? = nil, buildID: [UInt8]? = nil, address: UInt64? = nil,
    _ more: (inout CaptureBuilder) -> Void = { _ in }
  ) -> CaptureBuilder {
    var builder = CaptureBuilder(executable: path ?? self.path, buildID: buildID ?? self.buildID)
    more(&builder)
    let trace = builder.stackTrace([(address ?? self.address) + 1])
    builder.objects(of: builder.type("Demo.Loader"), stackTrace: trace)
    return builder
  }
}

/// Counts how often a file is opened from now on.
private final class Openings {
  private let descriptor = inotify_init1(CInt(O_NONBLOCK))

  init(of path: String) {
    #expect(inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0)
  }

  deinit { close(descriptor) }

  /// Since the last time.
  var count: Int {
    var bytes = [UInt8](repeating: 0, count: 4096)
    return max(0, read(descriptor, &bytes, bytes.count)) / MemoryLayout<inotify_event>.size
  }
}
