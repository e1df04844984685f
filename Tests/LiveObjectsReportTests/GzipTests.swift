import LiveObjectsReport
import TestSupport
import Testing

@Suite("A gzip file")
struct GzipTests {
  @Test("has the bytes that gzip reads", arguments: [0, 1, 65_535, 65_536, 200_000])
  func isReadByGzip(count: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 23) }
    let file = try folder.write(Gzip.file(of: bytes), as: "file.gz")
    let run = try runProgram("/bin/gzip", ["--decompress", "--stdout", file])
    #expect(run.status == .exited(0), "\(run.standardError)")
    #expect(Array(run.standardOutput.utf8) == bytes)
  }
}
