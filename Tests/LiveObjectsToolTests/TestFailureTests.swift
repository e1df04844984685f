#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  extension ToolSampleTests {
    @Suite("liveobjects test, with failures,")
    struct TestFailureTests {
      private let folder: TemporaryFolder

      init() throws { folder = try TemporaryFolder() }

      @Test("ends with 3 and a message if the test processes could not be watched")
      func reportsUnwatchedRuns() throws {
        let result = try runProgram(
          toolWithAnEmptyLibrary(), ["test", "--package-path", ToolSample.path] + ToolSample.scratchPath)
        #expect(result.status == .exited(3))
        #if compiler(>=6.2)
          #expect(result.standardError.contains("PackageTests.xctest was not tracked"))
          #expect(result.standardError.contains("liveobjects: nothing was watched: the XCTest run of "))
          #expect(result.standardError.contains("(and 1 more)\n"))
        #else  // SwiftPM starts its tests itself.
          #expect(
            result.standardError.contains(
              "liveobjects: nothing was watched: swift test started no test process"))
        #endif
      }

      @Test("names the command that builds missing companions")
      func namesMissingCompanions() throws {
        let result = try ToolSample.test(tool: toolWithAnEmptyLibrary())
        let version = "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
        #expect(result.standardError.contains("TestingCompanion.so for Swift \(version): findings"))
        #expect(result.standardError.contains("swift build --product LiveObjectsXCTestCompanion"))
        let list = try ToolSample.test(["list"], tool: toolWithAnEmptyLibrary())
        #expect(list.status == .exited(0))
        #expect(!list.standardError.contains("Companion"))
      }

      #if compiler(>=6.2)  // SwiftPM knows test runners.
        @Test("ends with 3 if the tests ran through another test runner")
        func reportsAnotherRunner() throws {
          let runner = try folder.writeScript("exec \"$@\"", to: "runner")
          try folder.source(
            #"{"schemaVersion":"1.0","testRunner":{"path":"\#(runner)"}}"#, named: "toolset.json")
          let result = try ToolSample.test([
            "--json", folder.path("json"), "--toolset", folder.path("toolset.json"),
          ])
          #expect(result.status == .exited(3))
          #expect(
            result.standardError.contains("liveobjects: nothing was watched: swift test started no test"))
          #expect(try folder.text(of: "json").contains("your own --toolset"))
        }
      #endif

      @Test("has the status of swift test if a test process crashed, and names the process")
      func reportsACrash() throws {
        let result = try ToolSample.test(
          ["--json", folder.path("json"), "--parallel"], environment: ["SAMPLE_CRASHES": "1"])
        #expect(result.status == .exited(1))
        let words = "ended before it could report, during SampleTests.ObserverTests/testCrashes"
        #expect(result.standardError.contains(words))
        #expect(try folder.text(of: "json").contains(words))
        #expect(try folder.text(of: "json").contains("\"complete\": false"))
        #expect(try folder.text(of: "json").contains("\"status\": 3"))
        #expect(result.standardError.contains("liveobjects: LEAKS COULD NOT BE EVALUATED: "))
      }

      @Test("has the status of swift test if the build failed, and no report and no message")
      func reportsAFailedBuild() throws {
        try folder.source(
          """
          // swift-tools-version: 6.0
          import PackageDescription
          let package = Package(name: "Broken", targets: [.testTarget(name: "BrokenTests", path: "Tests")])

          """, named: "Package.swift")
        try FileManager.default.createDirectory(
          atPath: folder.path("Tests"), withIntermediateDirectories: true)
        try folder.write("let broken: Int = nil".utf8, as: "Tests/Broken.swift")
        try folder.write("of an earlier run".utf8, as: "html")
        let outputs = ["--json", folder.path("json"), "--html", folder.path("html")]
        let result = try runProgram(
          BuiltProducts.tool, ["test", "--package-path", folder.path] + outputs)
        #expect(result.status == .exited(1))
        #expect((result.standardOutput + result.standardError).contains("Broken.swift:1"))
        #expect(!result.standardError.contains("watched"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("json")))
        #expect(try folder.text(of: "html") == "of an earlier run")
      }

      @Test("keeps the status of failing tests if the report cannot be written")
      func keepsTheStatusWithoutAReport() throws {
        let result = try ToolSample.test(["--json", "/dev/full"])
        #expect(result.status == .exited(1))
        #expect(result.standardError.contains("cannot write /dev/full: "))
      }

      @Test("takes its options also after those of swift test")
      func takesOptionsAnywhere() throws {
        let file = folder.path("json")
        let result = try ToolSample.test(["--parallel", "--json", file, "--fail-on=none"])
        #expect(result.status == .exited(0))
        #expect(try folder.text(of: "json").contains("\"schemaVersion\": 1"))
        #expect(try folder.text(of: "json").contains("\"toolchain\": \"6."))
      }

      @Test("ends with 2 if there is no swift")
      func missesSwift() throws {
        let result = try ToolSample.test(environment: ["PATH": "/nowhere"])
        #expect(result.status == .exited(2))
        #expect(result.standardError.contains("liveobjects: cannot start swift: "))
      }

      @Test("preloads everything under a SwiftPM without test runners")
      func supportsOldToolchains() throws {
        let swift = try Compiler.find("swift")
        try folder.writeScript(
          """
          case "$*" in "package --version") echo "Swift Package Manager - Swift 6.1.2" ;; *--toolset*) exit 64 ;;
          *) exec '\(swift)' "$@" ;; esac
          """, to: "swift")
        let path = folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let result = try ToolSample.test(["--json", folder.path("json")], environment: ["PATH": path])
        #expect(result.status == .exited(1))
        #expect(result.standardError.contains("liveobjects: this SwiftPM does not support test runners"))
        #expect(try folder.text(of: "json").contains("\"type\": \"Sample.Leaky\""))
      }

      @Test("leaves no files behind if it is interrupted")
      func isInterrupted() throws {
        let script = #"""
          mkdir "$1/spool"
          TMPDIR="$1/spool" setsid env --default-signal=INT "$0" test --disable-xctest --filter waits \
            --scratch-path "$2" > "$1/output" 2>&1 &
          until ls "$1"/spool/*/*.capture > /dev/null 2>&1 || ! kill -0 $!; do sleep 0.1; done
          sleep 0.5
          kill -INT -$!
          wait $!
          echo $? $(ls "$1/spool" | grep -c liveobjects)
          """#
        let result = try ToolSample.run(
          "/bin/sh", ["-c", script, BuiltProducts.tool, folder.path, ToolSample.scratchPath[1]],
          environment: ["SAMPLE_WAITS": "1"])
        // SwiftPM ends with 1 where it hears of its child's end before its own signal.
        #expect(["130 0\n", "1 0\n"].contains(result.standardOutput))
      }

      /// An installed tool with a preload library that does nothing, and without companions.
      private func toolWithAnEmptyLibrary() throws -> String {
        try copyExecutable(BuiltProducts.tool, to: folder.path("liveobjects"))
        try folder.write("".utf8, as: "empty.c")
        try Compiler.run(
          "clang", ["-shared", folder.path("empty.c"), "-o", folder.path("libLiveObjectsPreload.so")])
        return folder.path("liveobjects")
      }
    }
  }
#endif
