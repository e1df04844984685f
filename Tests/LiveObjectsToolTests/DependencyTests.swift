#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A package with a dependency that SwiftPM has checked out.
  @Suite("A package with a dependency")
  struct DependencyTests {
    private let folder: TemporaryFolder
    private var package: String { folder.path("Dependent") }

    init() throws {
      folder = try TemporaryFolder()
      try FileManager.default.copyItem(
        atPath: Compiler.fixtureFolder + "/Packages/Dependent", toPath: folder.path("Dependent"))
      let commit = """
        cd "$0/Wire" && git init -q -b main && git add . \
        && git -c user.name=Test -c user.email=test@localhost commit -q -m Wire
        """
      let run = try runProgram("/bin/sh", ["-c", commit, package])
      try #require(run.status == .exited(0), "\(run.standardError)")
    }

    @Test("what the dependency made and holds by itself is one line, and fails no test")
    func foldsDependencies() throws {
      let report = folder.path("report.txt")
      let run = try runProgram(
        BuiltProducts.tool,
        ["test", "--fail-on", "held", "--list", "tests", "--text", report, "--package-path", package])
      #expect(run.status == .exited(1))
      let text = try String(contentsOfFile: report, encoding: .utf8)
      #expect(
        text.contains("\n  Wire: 3 instances of 1 type, none of your code; the JSON report lists them\n"),
        "\(text)")
      #expect(text.contains("held by static Service.shared: Dependent.Session  1 instance"))
      #expect(text.contains("held by static Service.shared: Wire.Connection  1 instance"))
      #expect(
        text.contains(
          """
          Tests with findings that fail:

            DependentTests.ServiceTests/testKeepsAConnection  1 held
            DependentTests.ServiceTests/testKeepsASession     1 held

          """), "\(text)")
      #expect(!text.contains("Dependent.Service  1 instance"), "the first value of a variable")
    }
  }
#endif
