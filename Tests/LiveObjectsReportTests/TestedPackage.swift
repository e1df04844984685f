import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture

@testable import LiveObjectsReport

/// The tests of a package, run as SwiftPM runs them: those of XCTest in one process, those of Swift Testing in
/// another one.
enum TestedPackage {
  static func report() -> Report {
    makeReport(of: xctest.builder, testing.builder, symbolicator: symbolicator)
  }

  private static var symbolicator: TableSymbolicator {
    let symbolicator = TableSymbolicator()
    symbolicator.define(
      0x10, [.user("makeSUT()", module: "DemoTests", file: "/src/Tests/Support.swift", line: 4)])
    for test: UInt64 in 1...6 {
      symbolicator.define(
        0x100 + test,
        [
          .user(
            "LoaderTests.test\(test)()", module: "DemoTests", file: "/src/Tests/LoaderTests.swift",
            line: Int(test))
        ])
    }
    symbolicator.define(variable: 0x900, "static Demo.Cache.shared")
    return symbolicator
  }

  /// Five tests leak the same cycle, one of them something else as well; one test fails, two are clean.
  private static var xctest: Process {
    var process = Process(id: 12)
    process.leakTimer()
    for number: UInt64 in 1...5 {
      process.test("DemoTests.LoaderTests/test\(number)", number == 5 ? .failed : .passed) {
        $0.leakLoader(test: number, times: number == 1 ? 2 : 1)
        if number == 2 { $0.leakSession() }
      }
    }
    process.test("DemoTests.LoaderTests/test6", .leaked) { $0.leakLoader(test: 6, times: 1) }
    process.test("DemoTests.LoaderTests/testNothing", .passed) { _ in }
    process.test("DemoTests.LoaderTests/testUnfinished", .running) { $0.leakLoader(test: 1, times: 1) }
    return process
  }

  /// Cases of a parameterised test fill a cache, one of them leaks what the other process leaks too.
  private static var testing: Process {
    var process = Process(id: 13)
    for (scope, arguments) in [(1, "\"a\""), (2, "\"b\"")] as [(UInt32, String)] {
      process.test("DemoTests.Caching/cache(name:)", arguments: arguments, .passed, scope: scope) {
        $0.fillCache()
        if scope == 2 { $0.leakLoader(test: 2, times: 1) }
      }
    }
    process.test("DemoTests.Caching/skipped()", .skipped, scope: 3) { _ in }
    process.scope = 0
    process.leakLoader(test: 3, times: 1)
    return process
  }
}

/// A process with tests that leak.
private struct Process {
  var builder: CaptureBuilder
  var scope: UInt32 = 0
  private let types: [String: Int]
  private let cache: UInt32

  init(id: UInt32) {
    builder = CaptureBuilder(executable: "/src/.build/debug/DemoPackageTests.xctest", processID: id)
    let library = builder.image("/usr/lib/swift/linux/libFoundation.so", isSystem: true)
    var types: [String: Int] = [:]
    for name in ["Demo.Loader", "Demo.Client", "Demo.Session", "Demo.Cache", "Demo.Entry"] {
      types[name] = builder.type(name)
    }
    for name in ["Foundation.Timer", "Foundation.RunLoop"] {
      types[name] = builder.type(name, image: library)
    }
    self.types = types
    builder.heapGraph()
    cache = builder.object(of: types["Demo.Cache"]!)
    builder.global(0x900, to: cache)
  }

  mutating func test(
    _ id: String, arguments: String = "", _ outcome: TestDescription.Outcome, scope: UInt32 = 0,
    body: (inout Process) -> Void
  ) {
    var process = self
    process.scope = scope
    process.builder.test(id, arguments: arguments, outcome, scope: scope)
    body(&process)
    process.builder.endTest()
    builder = process.builder
  }

  mutating func leakLoader(test: UInt64, times: Int) {
    let stackTrace = builder.stackTrace([0x10, 0x100 + test])
    for _ in 0..<times {
      let (loader, client) = (make("Demo.Loader", stackTrace), make("Demo.Client", stackTrace))
      builder.cycle(loader, "client", client, "delegate")
    }
  }

  mutating func leakSession() {
    let session = make("Demo.Session", builder.stackTrace([0x102]))
    builder.reference(from: session, to: session, property: "me")
  }

  mutating func leakTimer() {
    let (timer, loop) = (make("Foundation.Timer", 0), make("Foundation.RunLoop", 0))
    builder.cycle(timer, "loop", loop, "timers")
  }

  mutating func fillCache() {
    builder.reference(from: cache, to: make("Demo.Entry", 0), ReferenceLabel(.value))
  }

  private mutating func make(_ type: String, _ stackTrace: UInt32) -> UInt32 {
    builder.object(of: types[type]!, stackTrace: stackTrace, scope: scope)
  }
}
