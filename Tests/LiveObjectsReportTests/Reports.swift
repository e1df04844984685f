import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture

@testable import LiveObjectsReport

/// The report on a builder's capture.
func makeReport(
  of builders: CaptureBuilder..., symbolicator: TableSymbolicator = TableSymbolicator(), notes: [String] = []
) -> Report {
  var options = Analysis.Options()
  options.findsCallSitesOfTypes = true
  return Report(
    of: builders.map { ($0.capture, Analysis(of: $0.capture, symbolicator: symbolicator, options: options)) },
    notes: notes)
}

/// A program with leaks of its own and of libraries, and the names of its frames.
struct LeakingProgram {
  var builder = CaptureBuilder()
  let symbolicator = TableSymbolicator()

  init() {
    nameFrames()
    leakProgramsOwn()
    leakLibrariesOwn()
  }

  private func nameFrames() {
    symbolicator.define(0x10, [.user("Loader.__allocating_init(client:)", line: 8)])
    symbolicator.define(
      0x20, [.user("makeSUT()", module: "DemoTests", file: "/src/Tests/LoaderTests.swift", line: 42)])
    symbolicator.define(
      0x30,
      [.user("LoaderTests.testLoad()", module: "DemoTests", file: "/src/Tests/LoaderTests.swift", line: 17)])
    symbolicator.define(0x40, [.user("Loader.load(completion:)", line: 23)])
    symbolicator.define(0x50, [.user("main", module: "demo", file: nil, line: nil)])
    symbolicator.define(0x60, [.system("__libc_start_main", module: "libc.so.6")])
  }

  private mutating func leakProgramsOwn() {
    let test = builder.stackTrace([0x30, 0x50, 0x60])
    let make = builder.stackTrace([0x10, 0x20], continuing: test, taking: 3)
    let load = builder.stackTrace([0x40], continuing: test, taking: 3)
    builder.objects(100, of: builder.type("Demo.Loader"), bytes: 64, stackTrace: make)
    builder.objects(
      2, of: builder.type("", kind: .closureContextOrBox, captureCount: 2), bytes: 48, stackTrace: load)
    let spy = builder.type("Demo.(unknown context at $55d0c8e08540).Spy<Swift.Int>")
    builder.objects(1, of: spy, bytes: 40, stackTrace: test)
    builder.objects(3, of: builder.type("Demo.Session"), isPinned: true)
  }

  private mutating func leakLibrariesOwn() {
    let library = builder.image("/usr/lib/swift/linux/libswiftCore.so", isSystem: true)
    builder.objects(4, of: builder.type("Swift._ContiguousArrayStorage<Demo.Loader>"), bytes: 1024)
    builder.objects(7, of: builder.type("", kind: .rawBuffer, image: nil), bytes: 4096)
    builder.objects(
      1, of: builder.type("", kind: .closureContextOrBox, image: library, captureCount: 1), bytes: 24)
  }

  func report() -> Report { makeReport(of: builder, symbolicator: symbolicator) }
}

/// A program that allocates a loader in one function with several callers, and in another one.
struct CalledFromManyPlaces {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  init() {
    symbolicator.define(0x10, [.user("makeSUT()", line: 42)])
    symbolicator.define(0x20, [.user("prepare()", line: 50)])
    symbolicator.define(0x50, [.user("main", module: "demo", file: "/src/main.swift", line: nil)])
    for index: UInt64 in 1...7 {
      symbolicator.define(0x100 + index, [.user("test\(index)()", line: Int(index))])
      leak(Int(index), at: [0x10, 0x20, 0x100 + index, 0x50])
    }
    // The same text, but another return address.
    symbolicator.define(0x207, [.user("test7()", line: 7)])
    leak(1, at: [0x10, 0x20, 0x207, 0x50])
    symbolicator.define(0x30, [.user("importAll()", line: 60)])
    leak(2, at: [0x30, 0x101, 0x50])
  }

  private mutating func leak(_ count: Int, at trace: [UInt64]) {
    builder.objects(count, of: builder.type("Demo.Loader"), stackTrace: builder.stackTrace(trace))
  }

  func report() -> Report { makeReport(of: builder, symbolicator: symbolicator) }
}

extension Report {
  /// The text of a run that fails because of these findings.
  func text(failOn: FailOn?, _ renderer: TextRenderer = TextRenderer()) -> String {
    var report = self
    report.run.failOn = failOn
    return renderer.render(report)
  }
}

extension TextRenderer {
  static let everything = TextRenderer(listing: Set(Part.allCases))
}
