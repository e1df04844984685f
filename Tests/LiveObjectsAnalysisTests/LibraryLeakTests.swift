import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Leaks of library types: of the library or of the program.
struct LibraryLeakTests {
  private var builder = CaptureBuilder()
  private var symbolicator = TableSymbolicator()

  @Test mutating func anObjectAllocatedByALibraryIsALibraryLeak() throws {
    let trace = builder.stackTrace([0x10, 0x20, 0x30])
    symbolicator.define(0x10, [.system("_CFRuntimeCreateInstance", module: "libFoundation.so")])
    symbolicator.define(0x20, [.system("NSAttributedString.init(string:)", module: "Foundation")])
    symbolicator.define(0x30, [.user("showTitle()")])
    #expect(try isLibraryLeak(of: "Foundation.__NSCFType", allocatedAt: trace))
  }

  @Test mutating func anObjectAllocatedByTheProgramIsNoLibraryLeak() throws {
    let trace = builder.stackTrace([0x10, 0x20, 0x30])
    symbolicator.define(0x10, [.system("swift_allocObject")])
    symbolicator.define(0x20, [.system("DateFormatter.__allocating_init()", module: "Foundation")])
    symbolicator.define(0x30, [.user("makeFormatter()")])
    #expect(try !isLibraryLeak(of: "Foundation.DateFormatter", allocatedAt: trace))
  }

  @Test mutating func aStandardLibraryContainerBelongsToTheCallerThatFillsIt() throws {
    let trace = builder.stackTrace([0x10, 0x20])
    symbolicator.define(0x10, [.system("Array.append(_:)", module: "Swift")])
    symbolicator.define(0x20, [.user("collect()")])
    #expect(try !isLibraryLeak(of: "Swift._ContiguousArrayStorage<Swift.Int>", allocatedAt: trace))
  }

  @Test mutating func aContainerWithoutAStackTraceIsNoLibraryLeak() throws {
    #expect(try !isLibraryLeak(of: "Swift._ContiguousArrayStorage<Swift.Int>", allocatedAt: 0))
    #expect(try isLibraryLeak(of: "Foundation.DateFormatter", allocatedAt: 0))
  }

  /// A closure's metadata lies in the program's image, or nothing is known about it: it may be the program's.
  @Test mutating func aClosureWithoutAStackTraceIsNoLibraryLeak() throws {
    let closure = builder.object(of: builder.type("", kind: .closureContextOrBox, captureCount: 2))
    builder.reference(from: closure, to: closure, ReferenceLabel(.capture, text: ""))
    let finding = try #require(Analysis(of: builder.capture, symbolicator: symbolicator).findings.first)
    #expect((finding.verdict, finding.isLibraryLeak) == (.retainCycle, false))
  }

  /// Over-retained: nothing refers to the object.
  private mutating func isLibraryLeak(of type: String, allocatedAt trace: UInt32) throws -> Bool {
    _ = builder.object(of: builder.type(type), stackTrace: trace)
    builder.heapGraph()
    let analysis = Analysis(of: builder.capture, symbolicator: symbolicator)
    return try #require(analysis.findings.first { $0.verdict == .overRetained }).isLibraryLeak
  }
}
