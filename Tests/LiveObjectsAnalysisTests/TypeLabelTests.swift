import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct TypeLabelTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  @Test(
    arguments: [
      ("Demo.Loader", .classInstance, .classInstance, "Demo.Loader"),
      (
        "Swift._ContiguousArrayStorage<Demo.A>", .classInstance, .arrayStorage,
        "Swift._ContiguousArrayStorage<Demo.A>"
      ),
      ("Swift.ManagedBuffer<A, B>", .classInstance, .arrayStorage, "Swift.ManagedBuffer<A, B>"),
      (
        "Swift._DictionaryStorage<A, B>", .classInstance, .dictionaryStorage, "Swift._DictionaryStorage<A, B>"
      ),
      ("Swift._SetStorage<A>", .classInstance, .setStorage, "Swift._SetStorage<A>"),
      ("Swift.__StringStorage", .classInstance, .stringStorage, "Swift.__StringStorage"),
      ("Swift.__SharedStringStorage", .classInstance, .stringStorage, "Swift.__SharedStringStorage"),
      ("Demo.Failure", .errorBox, .error, "Demo.Failure"),
      ("Demo.Settings", .genericBox, .box, "box of Demo.Settings"),
      ("", .rawBuffer, .rawBuffer, "raw buffer"),
      ("", .other, .other, "unreadable type"),
      ("", .classInstance, .classInstance, "unnamed class"),
    ] as [(String, TypeDescription.Kind, ObjectKind, String)])
  mutating func kindsAreDistinguished(
    name: String, kind: TypeDescription.Kind, expected: ObjectKind, text: String
  ) {
    builder.objects(of: builder.type(name, kind: kind))
    let types = analyse(builder).types
    #expect(types.map(\.kind) == [expected])
    #expect(types.map(\.type) == [text])
  }

  @Test(
    arguments: [
      ("Loader.load(completion:)", 2, "closure in Demo.Loader.load(completion:)", .closure),
      ("Loader.load(completion:)", 1, "closure or box in Demo.Loader.load(completion:)", .closureOrBox),
      ("closure #1 in run()", 2, "closure in closure #1 in Demo.run()", .closure),
      ("static Loader.make()", 2, "closure in static Demo.Loader.make()", .closure),
      ("main", 2, "closure in main", .closure),
    ] as [(String, UInt32, String, ObjectKind)])
  mutating func closuresAreNamedAfterTheirAllocatingFunction(
    function: String, captureCount: UInt32, text: String, kind: ObjectKind
  ) {
    symbolicator.define(0x10, [.user(function)])
    leakClosure(captureCount: captureCount, at: [0x10])
    let analysis = analyse(builder, symbolicator)
    #expect(analysis.types.map(\.type) == [text])
    #expect(analysis.types.map(\.kind) == [kind])
    #expect(analysis.findings.map(\.type) == [text])
  }

  @Test mutating func aClosureWithoutAStackTraceIsNamedAfterItsImage() {
    leakClosure(at: [])
    #expect(analyse(builder, symbolicator).findings.map(\.type) == ["closure in demo"])
  }

  @Test mutating func aClosureOfALibraryIsNotOfTheProgram() {
    let library = builder.image("/usr/lib/libFoundation.so", isSystem: true)
    symbolicator.define(0x10, [.user("run()")])
    leakClosure(image: library, at: [0x10])
    let analysis = analyse(builder, symbolicator)
    #expect(analysis.types.map(\.type) == ["closure context or box"])
    #expect(analysis.findings.isEmpty)
    #expect(symbolicator.requests.isEmpty)
  }

  @Test mutating func inAStaticProgramTheAllocatingFunctionDecidesTheOriginOfAClosure() {
    symbolicator.define(0x10, [.user("swift_allocObject", module: "demo", file: nil, line: nil)])
    symbolicator.define(
      0x11, [.user("JSONDecoder.decode(_:from:)", module: "Foundation", file: nil, line: nil)])
    symbolicator.define(0x20, [.user("run()")])
    leakClosure(at: [0x10, 0x11, 0x20])
    leakClosure(at: [0x10, 0x20, 0x11])
    let analysis = analyse(builder, symbolicator)
    #expect(analysis.findings.map(\.type) == ["closure in Demo.run()"])
    #expect(Set(analysis.types.map(\.type)) == ["closure in Demo.run()", "closure context or box"])
  }

  @Test mutating func theClosureOfTheMainTaskIsNotOfTheProgram() {
    symbolicator.define(0x10, [.user("main", module: "demo", file: "/src/main.swift", line: nil)])
    symbolicator.define(0x20, [.user("main", module: "demo", file: "/src/main.swift", line: 3)])
    leakClosure(captureCount: 1, at: [0x10])
    leakClosure(captureCount: 1, at: [0x20])
    let analysis = analyse(builder, symbolicator)
    #expect(analysis.findings.map(\.instances) == [1])
    #expect(Set(analysis.types.map(\.type)) == ["closure or box in main", "closure context or box"])
  }

  private mutating func leakClosure(image: Int = 0, captureCount: UInt32 = 2, at trace: [UInt64]) {
    let type = builder.type("", kind: .closureContextOrBox, image: image, captureCount: captureCount)
    builder.objects(of: type, stackTrace: builder.stackTrace(trace))
  }
}
