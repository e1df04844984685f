import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Whose code left the objects behind: the program's own, or that of a dependency.
@Suite struct PackagesTests {
  private static let dependency = "/src/.build/checkouts/wire/Sources/Wire/Hub.swift"

  @Test func whatADependencyMadeAndHoldsItselfIsItsOwn() throws {
    let found = try #require(Program().finding())
    #expect(found.dependency == "wire")
    #expect(found.verdict == .heldBy)
  }

  @Test(
    "a dependency's folder is that of the build's checkouts",
    arguments: [
      ("/src/.build/x86_64/debug/demo", "/src/.build/checkouts/wire/Sources/Wire/Hub.swift", "wire"),
      ("/elsewhere/demo", "/src/.build/checkouts/wire/Sources/Wire/Hub.swift", "wire"),
      ("/build/x86_64/debug/demo", "/build/checkouts/wire/Hub.swift", "wire"),
      ("/build/out/Products/Debug-linux/demo", "/build/checkouts/wire/Hub.swift", "wire"),
      ("/b/x/debug/demo", "/src/.build/registry/downloads/acme/wire/1.2.0/Sources/Hub.swift", "wire"),
      ("/home/checkouts/app/.build/x86_64/debug/demo", "/home/checkouts/app/Sources/Hub.swift", nil),
      ("/home/checkouts/app/.build/x86_64/debug/demo", "/home/checkouts/local/Sources/Hub.swift", nil),
      ("/src/.build/checkouts/wire/.build/x/debug/demo", "/src/.build/checkouts/wire/Sources/Hub.swift", nil),
      ("/src/.build/x86_64/debug/demo", "/src/Packages/wire/Sources/Wire/Hub.swift", nil),
    ] as [(String, String, String?)])
  func folders(executable: String, file: String, package: String?) throws {
    let program = Program(executable: executable)
    program.define(0x10, "Hub.connect()", file: file)
    #expect(try #require(program.finding()).dependency == package)
  }

  @Test func codeThatTheCompilerGeneratedBelongsToNoPackage() throws {
    var program = Program()
    program.symbolicator.define(
      0x40, [.user("Hub.deinit()", module: "Wire", file: "/<compiler-generated>", line: 0)])
    program.frames.append(0x40)
    #expect(try #require(program.finding()).dependency == "wire")
  }

  @Test func whatTheProgramAllocatesThroughADependencyIsItsOwn() throws {
    var program = Program()
    program.frames.append(0x20)
    #expect(try #require(program.finding()).dependency == nil)
  }

  @Test func theEntryPointIsTheCallerOfEverything() throws {
    var program = Program()
    program.symbolicator.define(0x30, [.user("static App.main()", module: "App", file: "/src/App.swift")])
    program.frames.append(0x30)
    #expect(try #require(program.finding()).dependency == "wire")
  }

  @Test func whatTheProgramHoldsIsItsOwn() throws {
    var program = Program(variable: "static App.Sessions.all")
    #expect(try #require(program.finding()).dependency == nil)
    program = Program(type: "Wire.Box<App.Session>")
    #expect(try #require(program.finding()).dependency == nil)
  }

  @Test func aModuleWithUnknownFilesIsTheProgramsOwn() throws {
    #expect(try #require(Program(type: "Other.Connection").finding()).dependency == nil)
  }

  @Test(
    "a module of a type may have no frame",
    arguments: [
      (.file("/src/.build/checkouts/atomics/Sources/Atomics/Atomic.swift"), "wire"),
      (.file("/src/Sources/Atomics/Atomic.swift"), nil),
      (.generated, "wire"),
      (nil, nil),
    ] as [(ModuleSource?, String?)])
  func modulesWithoutFrames(source: ModuleSource?, package: String?) throws {
    let program = Program(type: "Wire.Connection<Atomics.Atomic>")
    program.symbolicator.modules = ["Atomics": source].compactMapValues { $0 }
    #expect(try #require(program.finding()).dependency == package)
  }

  @Test func aModuleOfTwoPackagesIsTheProgramsOwn() throws {
    var program = Program()
    program.symbolicator.define(0x20, [.user("Hub.extend()", module: "Wire", file: "/src/App.swift")])
    program.frames.append(0x20)
    #expect(try #require(program.finding()).dependency == nil)
  }

  @Test func typesHaveTheirDependencies() {
    let types = Program().analysis().types
    #expect(types.map(\.dependency) == ["wire"])
  }
}

/// A program with an object of a dependency that a variable holds.
private struct Program {
  var symbolicator = TableSymbolicator()
  var frames: [UInt64] = [0x10]
  private let executable: String
  private let type: String

  init(
    executable: String = "/src/.build/x86_64/debug/demo", type: String = "Wire.Connection",
    variable: String = "static Wire.Hub.connections"
  ) {
    (self.executable, self.type) = (executable, type)
    define(0x10, "Hub.connect()", file: "/src/.build/checkouts/wire/Sources/Wire/Hub.swift")
    symbolicator.define(0x20, [.user("Server.run()", module: "App", file: "/src/Sources/App/App.swift")])
    symbolicator.define(variable: 0x100, variable)
  }

  func define(_ offset: UInt64, _ function: String, file: String) {
    symbolicator.define(offset, [.user(function, module: "Wire", file: file)])
  }

  func analysis() -> Analysis {
    var builder = CaptureBuilder(executable: executable)
    let object = builder.object(of: builder.type(type), stackTrace: builder.stackTrace(frames))
    builder.global(0x100, to: object)
    return Analysis(of: builder.capture, symbolicator: symbolicator)
  }

  func finding() -> Finding? { analysis().findings.first }
}
