import TestSupport
import Testing

@testable import LiveObjectsTool

@Suite("Arguments of swift test")
struct SwiftTestArgumentsTests {
  @Test(
    "run tests",
    arguments: [
      [], ["--parallel"], ["--filter", "list"], ["-c", "release"], ["--package-path", "list"],
      ["-Xlinker", "-lz"],
    ])
  func runTests(arguments: [String]) {
    #expect(arguments.runsTests)
  }

  @Test(
    "do not run tests",
    arguments: [
      ["list"], ["-c", "release", "list"], ["list", "--filter", "x"], ["-l"], ["--filter", "x", "--help"],
      ["--show-codecov-path"],
    ])
  func doNotRunTests(arguments: [String]) {
    #expect(!arguments.runsTests)
  }

  @Test("are all after the tool's own options, which may stand anywhere before --")
  func areAfterOwnOptions() {
    #expect(
      OwnOptions.arranged(["test", "--filter", "x", "--json=out", "--parallel", "--baseline", "file"])
        == ["test", "--json=out", "--baseline", "file", "--filter", "x", "--parallel"])
    #expect(
      OwnOptions.arranged(["baseline", "-Xswiftc", "--json", "--prune-baseline", "--", "--text", "-"])
        == ["baseline", "--prune-baseline", "-Xswiftc", "--json", "--", "--text", "-"])
    #expect(
      OwnOptions.arranged(["verify", "01", "--json", "x", "--runs", "2", "--bisect"])
        == ["verify", "--runs", "2", "--bisect", "01", "--json", "x"])
    let run = ["run", "--", "program", "--json", "x"]
    #expect(OwnOptions.arranged(run) == run)
  }

  @Test("select tests or run them all")
  func selectTests() {
    #expect(["--parallel", "-c", "release"].runsAllTests)
    #expect(!["--filter", "x"].runsAllTests)
    #expect(!["--skip=x"].runsAllTests)
  }

  @Test(
    "are understood by a version of SwiftPM",
    arguments: [
      ("Swift Package Manager - Swift 6.3.1\n", [6, 3, 1]),
      ("Swift Package Manager - Swift 6.4-dev", [6, 4]),
      ("no version", nil), ("", nil),
    ] as [(String, [Int]?)])
  func parseVersions(text: String, version: [Int]?) {
    #expect(SwiftPackageManager.version(in: text) == version)
  }

  @Test("the version in a toolchain's files is that of its SwiftPM")
  func toolchainFilesHaveTheVersion() throws {
    let said = try runProgram(Compiler.find("swift"), ["package", "--version"]).standardOutput
    let version = SwiftPackageManager.versionOfToolchain(with: try Compiler.find("swift"))
    #expect(version != nil && version == SwiftPackageManager.version(in: said))
    #expect(SwiftPackageManager.versionOfToolchain(with: "/bin/sh") == nil)
    #expect(SwiftPackageManager.versionOfToolchain(with: "/no/such/swift") == nil)
  }
}
