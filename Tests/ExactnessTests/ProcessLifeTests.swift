import TestSupport
import Testing

extension Exactness {
  @Suite struct ProcessLifeTests {
    @Test(
      "200 forks with allocating threads neither hang nor change a count",
      arguments: [Watching.all[0], Watching.all[3]])
    func forks(watching: Watching) throws {
      let run = try WatchedRun("Forker", ["200"], watching: watching)
      #expect(run.program.standardOutput == "{ \"survivors\": 2196, \"wrong\": 0 }\n")
      #expect(run.program.status == .exited(0))
      // One capture: the children write none.
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      #expect(capture.liveCount(of: "Forker.Survivor") == 2_196)
      #expect(capture.liveCount(of: "Forker.ChildSurvivor") == 0)
      #expect(capture.liveCount(of: "Forker.Passing") == 0)
    }

    @Test("each program that a shell starts writes a capture, the shell none")
    func shell() throws {
      let programs = ["RawBuffers", "Survivors", "RawBuffers"].map(BuiltProducts.executable)
      let run = try WatchedRun("/bin/sh", ["-c", programs.joined(separator: " && ")])
      #expect(run.program.status == .exited(0))
      #expect(run.program.standardError.isEmpty)
      #expect(run.captures.map(\.process.executable).sorted() == programs.sorted())
    }

    @Test("an executed program is watched from its own start")
    func exec() throws {
      let run = try WatchedRun("Execer", [BuiltProducts.executable("Survivors")])
      let capture = try run.capture
      #expect(capture.liveCount(of: "Execer.BeforeExec") == 0)
      for planted in try Planted.truth(of: run.program) {
        #expect(planted.objects(in: capture).count == planted.count, "\(planted)")
      }
    }

    @Test("an executed program without Swift writes nothing")
    func execWithoutSwift() throws {
      let run = try WatchedRun("Execer", ["/bin/true"])
      #expect(run.program.status == .exited(0))
      #expect(run.program.standardError.isEmpty)
      #expect(run.captures.isEmpty)
    }

    @Test("a program whose exec failed is still watched")
    func failedExec() throws {
      let run = try WatchedRun("Execer", ["/no/such/program"])
      #expect(run.program.standardOutput == "still here\n")
      let capture = try run.capture
      #expect(capture.liveCount(of: "Execer.BeforeExec") == 11)
      #expect(capture.liveCount(of: "Execer.AfterFailedExec") == 13)
    }

    @Test("objects of a library that was loaded late are counted and named", arguments: Watching.all)
    func lateLibrary(watching: Watching) throws {
      let folder = try TemporaryFolder()
      let guest = folder.path("libDlopenGuest.so")
      try Compiler.compile(
        Compiler.sources(of: "DlopenGuest"), ["-emit-library", "-module-name", "DlopenGuest"],
        to: guest)
      let run = try WatchedRun("DlopenHost", [guest], watching: watching)
      #expect(run.program.status == .exited(0), "\(run.program.standardOutput)")
      let capture = try run.capture
      #expect(capture.graph?.status.evaluationFailure == nil)
      #expect(capture.liveCount(of: "DlopenHost.HostSurvivor") == 61)
      #expect(capture.liveCount(of: "DlopenGuest.Guest") == 59)
      let type = try #require(capture.types.first { $0.name == "DlopenGuest.Guest" })
      #expect(type.image.map { capture.images[$0].path } == guest)
    }

    @Test(
      "after the unload of a library objects are counted, and references are not read",
      arguments: Watching.all, ["unload", "unload-unseen"])
    func unloadedLibrary(watching: Watching, unload: String) throws {
      let folder = try TemporaryFolder()
      let guest = folder.path("libDlopenGuest.so")
      try Compiler.compile(
        Compiler.sources(of: "DlopenGuest"), ["-emit-library", "-module-name", "DlopenGuest"],
        to: guest)
      let run = try WatchedRun("DlopenHost", [guest, unload], watching: watching)
      #expect(run.program.status == .exited(0), "\(run.program.standardOutput)")
      let capture = try run.capture
      let failure = "references were not read: a Swift library was unloaded"
      #expect(capture.graph?.status.evaluationFailure == failure)
      #expect(capture.liveCount(of: "DlopenHost.HostSurvivor") == 61)
      #expect(!capture.images.contains { $0.path == guest })
      #expect(capture.objects.count { capture.types[$0.type].kind == .other } >= 59)
    }

    @Test("an overwritten object loses its own description only", arguments: Watching.all)
    func overwrittenObjects(watching: Watching) throws {
      let run = try WatchedRun("Overwriter", watching: watching)
      #expect(run.program.status == .exited(0))
      let capture = try run.capture
      #expect(capture.graph?.status.wasRead == true)
      #expect(capture.liveCount(of: "Overwriter.Healthy") == 20)
      let healthy = try #require(capture.types.firstIndex { $0.name == "Overwriter.Healthy" })
      let references = try #require(capture.graph).references
      #expect(references.count { capture.objects[Int($0.source)].type == healthy } >= 20)
    }

    @Test("raw buffers are counted by their size", arguments: Watching.all)
    func rawBuffers(watching: Watching) throws {
      let capture = try WatchedRun("RawBuffers", watching: watching).capture
      capture.expectComplete(watching: watching)
      #expect(capture.rawBufferCount(ofBytes: 1_009) == 41)
      #expect(capture.rawBufferCount(ofBytes: 2_003) == 43)
      #expect(capture.rawBufferCount(ofBytes: 4_099) == 47)
      #expect(capture.rawBufferCount(ofBytes: 3_001) == 53)
    }
  }
}
