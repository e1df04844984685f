import LiveObjectsCapture
import TestSupport
import Testing

extension Exactness {
  /// `Survivors`, with the Swift runtime inside it.
  @Suite struct StaticProgramTests {
    let folder: TemporaryFolder
    var program: String { folder.path("Survivors") }

    init() throws {
      folder = try TemporaryFolder()
    }

    @Test("preloaded and not stripped, all its objects are counted", arguments: Watching.all)
    func preloaded(watching: Watching) throws {
      try compile()
      let run = try WatchedRun(program, watching: watching)
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      try expectEveryPlanted(in: capture, truth: run.program)
    }

    @Test("preloaded and stripped, one line reports that nothing is watched")
    func preloadedAndStripped() throws {
      try compile(["-Xlinker", "--strip-all"])
      let unwatched = try runUnwatched(program)
      let watched = try WatchedRun(program)
      #expect(watched.program.status == unwatched.status)
      #expect(watched.program.standardOutput == unwatched.standardOutput)
      #expect(watched.program.standardError.split(separator: "\n").count == 1)
      #expect(try watched.capture.tracking.state == .blind)
    }

    @Test("run of a stripped one gives status 3")
    func runOfStripped() throws {
      try compile(["-Xlinker", "--strip-all"])
      let run = try runProgram(BuiltProducts.tool, ["run", "--", program])
      #expect(run.status == .exited(3), "\(run.standardError)")
    }

    @Test("with the recorder linked in, all its objects are counted")
    func linked() throws {
      try compileWithRecorder()
      let run = try runProgram(program, environment: linkedRecorderOutput)
      try expectEveryPlanted(in: try linkedRecorderCapture(), truth: run)
    }

    @Test("with the recorder linked in and preloaded, both captures are equal")
    func linkedAndPreloaded() throws {
      try compileWithRecorder()
      let run = try WatchedRun(program, environment: linkedRecorderOutput)
      try expectEveryPlanted(in: try run.capture, truth: run.program)
      try expectEveryPlanted(in: try linkedRecorderCapture(), truth: run.program)
    }

    private var linkedRecorderOutput: [String: String?] {
      ["LINKED_RECORDER_OUTPUT": folder.path("capture")]
    }

    private func linkedRecorderCapture() throws -> Capture {
      try Capture(decoding: try folder.bytes(of: "capture"))
    }

    /// Links the recorder and what starts it, as one object file.
    private func compileWithRecorder() throws {
      let sources = Compiler.sourceFolder + "/CLiveObjects"
      let recorder = folder.path("recorder.o")
      try Compiler.run(
        "clang",
        ["-std=c17", "-D_GNU_SOURCE=", "-O2", "-fPIC", "-r", "-nostdlib"]
          + ["-I", sources, "-I", sources + "/include"] + Compiler.sources(in: sources)
          + Compiler.sources(of: "LinkedRecorder") + ["-o", recorder])
      try compile([recorder])
    }

    private func compile(_ linked: [String] = []) throws {
      try Compiler.compile(
        Compiler.sources(of: "Survivors"),
        ["-static-stdlib", "-module-name", "Survivors"] + linked, to: program)
    }

    private func expectEveryPlanted(in capture: Capture, truth run: ProgramRun) throws {
      for planted in try Planted.truth(of: run) {
        #expect(planted.objects(in: capture).count == planted.count, "\(planted)")
      }
    }
  }
}
