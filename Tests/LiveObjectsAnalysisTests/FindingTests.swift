import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct FindingTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  init() {
    symbolicator.define(0x10, [.system("swift_allocObject")])
    symbolicator.define(0x11, [.system("Array.append(_:)", module: "Swift")])
    symbolicator.define(0x20, [.user("Loader.__allocating_init(client:)", line: 3)])
    symbolicator.define(0x30, [.user("makeLoader()", line: 30)])
    symbolicator.define(0x31, [.user("makeLoader()", line: 31)])
    symbolicator.define(0x40, [.user("run()", line: 40)])
    symbolicator.define(0x50, [.user("main", module: "demo", line: nil)])
    symbolicator.define(0x60, [.system("__libc_start_call_main", module: "libc.so.6")])
    symbolicator.define(0x61, [.user("_start", module: "demo", file: nil, line: nil)])
  }

  private mutating func leak(_ count: Int = 1, of type: String = "Demo.Loader", at trace: [UInt64]) {
    builder.objects(count, of: builder.type(type), stackTrace: builder.stackTrace(trace))
  }

  private func functions(_ site: Finding.CallSite?) -> [String?] { site?.frames.map(\.function) ?? [] }

  @Test mutating func framesGoFromTheCallSiteToMain() {
    leak(at: [0x10, 0x11, 0x20, 0x30, 0x40, 0x50, 0x60, 0x61])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first) == ["makeLoader()", "run()", "main"])
  }

  @Test mutating func unnamedFramesOfTheCLibraryAreTrimmed() {
    let unnamed = SourceFrame(function: nil, module: "libc.so.6", file: nil, line: nil, isSystem: true)
    symbolicator.define(0x62, [unnamed])
    leak(at: [0x30, 0x40, 0x62, 0x62])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first) == ["makeLoader()", "run()"])
  }

  @Test mutating func libraryFramesBetweenFramesOfTheProgramAreKept() {
    leak(at: [0x30, 0x11, 0x40])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first) == ["makeLoader()", "Array.append(_:)", "run()"])
  }

  @Test mutating func aTraceWithoutFramesOfTheProgramIsKept() {
    leak(at: [0x10, 0x11, 0x60])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first) == ["swift_allocObject", "Array.append(_:)"])
  }

  @Test mutating func anInitialiserWithoutACallerInTheProgramIsTheCallSite() {
    leak(at: [0x20, 0x11, 0x40])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first).first == "Loader.__allocating_init(client:)")
  }

  @Test mutating func compilerGeneratedFramesAreTrimmed() {
    symbolicator.define(0x70, [.user("__swift_allocate_boxed_opaque_existential_0", line: nil)])
    symbolicator.define(0x71, [.user("outlined copy of A", file: "/<compiler-generated>", line: nil)])
    symbolicator.define(0x72, [.user("reabstraction thunk", file: "/src/Demo/Recorder.swift", line: 63)])
    symbolicator.define(0x73, [.user("$s4Demo4test()", file: "/@__swiftmacro_4Demo4testfMp_.swift", line: 9)])
    leak(at: [0x70, 0x71, 0x72, 0x73, 0x40])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first) == ["run()"])
  }

  @Test(arguments: ["run()", "static Demo.run()", "closure #1 in run()"])
  mutating func aCompilerGeneratedInstructionBelongsToItsFunction(function: String) {
    symbolicator.define(0x70, [.user(function, file: "/<compiler-generated>", line: nil)])
    symbolicator.define(0x71, [.user("static Runner.main()", file: "/DemoTests.derived/runner.swift")])
    leak(at: [0x70, 0x71])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first).first == function)
  }

  @Test mutating func inlinedCallsAreFramesOfTheirOwn() {
    symbolicator.define(0x70, [.user("Loader.__allocating_init()"), .user("inlined()"), .user("outer()")])
    leak(at: [0x70])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first) == ["inlined()", "outer()"])
  }

  @Test mutating func runtimeCodeInAStaticProgramIsTrimmed() {
    symbolicator.define(0x70, [.user("swift_allocBox", module: "demo", file: nil, line: nil)])
    symbolicator.define(0x71, [.user("swift::allocate()", module: "demo", file: nil, line: nil)])
    symbolicator.define(0x72, [.user("Array.append(_:)", module: "Swift", file: nil, line: nil)])
    leak(at: [0x70, 0x71, 0x72, 0x40])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first) == ["run()"])
  }

  @Test mutating func equalCallSitesAreMergedAndSortedByInstances() {
    leak(2, at: [0x30, 0x40])
    leak(3, at: [0x31, 0x40])
    leak(4, at: [0x10, 0x30, 0x40])
    let findings = analyse(builder, symbolicator).findings
    #expect(findings.map(\.instances) == [9])
    #expect(findings.first?.allocatedAt.map(\.instances) == [6, 3])
    #expect(findings.first?.allocatedAt.map { $0.frames.first?.line } == [30, 31])
  }

  @Test mutating func eachAllocatingFunctionIsAFinding() {
    leak(2, at: [0x30])
    leak(3, at: [0x40])
    let findings = analyse(builder, symbolicator).findings
    #expect(findings.map(\.instances) == [3, 2])
    #expect(Set(findings.map(\.fingerprint)).count == 2)
  }

  @Test mutating func manyCallSitesAreTruncated() {
    for depth in 1...100 { leak(at: [0x30] + [UInt64](repeating: 0x40, count: depth)) }
    let finding = analyse(builder, symbolicator).findings.first
    #expect(finding?.instances == 100)
    #expect(finding?.allocatedAt.count == 32)
    #expect(finding?.omittedCallSites == 68)
  }

  @Test(
    arguments: [
      "/build/debug/DemoPackageTests.derived/runner.swift",
      "/out/Debug-linux/DemoTests-test-runner.build/DerivedSources/test_entry_point.swift",
    ])
  mutating func objectsOfTheTestRunnerAreNoFindings(file: String) {
    symbolicator.define(0x70, [.system("XCTestCase.init(name:testClosure:)", module: "XCTest")])
    symbolicator.define(0x71, [.user("static Runner.main()", file: file)])
    symbolicator.define(0x72, [.user("LoaderTests.__allocating_init(name:testClosure:)")])
    leak(of: "DemoTests.LoaderTests", at: [0x72, 0x70, 0x71, 0x60, 0x61])
    leak(of: "Demo.Loader", at: [0x40, 0x71])
    let analysis = analyse(builder, symbolicator)
    #expect(analysis.findings.map(\.type) == ["Demo.Loader"])
    #expect(analysis.types.count == 2)
  }

  /// As optimised builds have it.
  @Test mutating func aTestThatIsInlinedIntoTheRunnerIsTheProgramsOwn() {
    let file = "/build/release/DemoPackageDiscoveredTests.derived/DemoTests.swift"
    symbolicator.define(0x70, [.user("LoaderTests.testLoad()", file: file, line: nil)])
    symbolicator.define(0x71, [.user("implicit closure #2 in LoaderTests.__allTests", file: file, line: 8)])
    leak(of: "Demo.Loader", at: [0x70, 0x71])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(functions(finding?.allocatedAt.first).first == "LoaderTests.testLoad()")
  }

  /// Swift Testing keeps values for each test in its task, from where no generated code is on the stack.
  @Test mutating func objectsOfSwiftTestingAreNoFindings() {
    symbolicator.define(0x70, [.system("TestCancellable.withCancellationHandling(_:)", module: "Testing")])
    leak(of: "Testing._TaskCanceller", at: [0x70])
    leak(of: "Demo.Loader", at: [0x40, 0x70])
    #expect(analyse(builder, symbolicator).findings.map(\.type) == ["Demo.Loader"])
  }

  @Test mutating func aFrameWithoutASymbolNamesItsImage() {
    leak(at: [0x999])
    let frame = analyse(builder, symbolicator).findings.first?.allocatedAt.first?.frames.first
    #expect(frame == SourceFrame(function: nil, module: "demo", file: nil, line: nil, isSystem: false))
  }

  @Test mutating func anObjectWithoutAStackTraceHasNoCallSites() {
    leak(at: [])
    let finding = analyse(builder, symbolicator).findings.first
    #expect(finding?.type == "Demo.Loader")
    #expect(finding?.allocatedAt == [])
  }

  @Test mutating func findingsHaveAStableOrder() {
    for type in ["Demo.C", "Demo.A", "Demo.B"] { leak(2, of: type, at: [0x30]) }
    leak(5, of: "Demo.Many", at: [0x30])
    let analysis = analyse(builder, symbolicator)
    #expect(analysis.findings.map(\.type) == ["Demo.Many", "Demo.A", "Demo.B", "Demo.C"])
  }
}
