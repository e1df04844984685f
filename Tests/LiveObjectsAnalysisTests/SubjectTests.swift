import CaptureFixtures
import LiveObjectsCapture
import Testing

@testable import LiveObjectsAnalysis

/// A cycle is named after the object that its test is about.
@Suite struct SubjectTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  @Test mutating func aTrackedObjectNamesItsCycle() {
    let (client, loader) = leakLoader()
    let canonical = finding()
    #expect(canonical.type == "Demo.Client")
    let found = finding(after: loader)
    #expect(found.type == "Demo.Loader")
    #expect(found.path.map(\.type) == ["Demo.Loader", "Demo.Client"])
    #expect(found.path.map(\.reference) == ["client", "delegate"])
    #expect(found.fingerprint == canonical.fingerprint)
    #expect(finding(after: client).path == canonical.path)
  }

  @Test mutating func theLastObjectOfMakeSUTNamesItsCycle() {
    symbolicator.define(0x10, [.user("LoaderTests.makeSUT(file:line:)", module: "DemoTests")])
    let trace = builder.stackTrace([0x10])
    leakLoader(trace, trace)
    #expect(finding().type == "Demo.Loader")
  }

  @Test mutating func anObjectOfAnotherHelperDoesNot() {
    symbolicator.define(0x10, [.user("LoaderTests.makeSUTs()", module: "DemoTests")])
    symbolicator.define(0x20, [.user("Factory.make()")])
    leakLoader(builder.stackTrace([0x10]), builder.stackTrace([0x20]))
    #expect(finding().type == "Demo.Client")
  }

  @Test(arguments: [
    ("Zoo.Session", "/src/Sources/Zoo/Zoo.swift"), ("Zoo.Session", "/src/.build/checkouts/zoo/Zoo.swift"),
  ])
  mutating func anObjectOfTheProgramComesBeforeThatOfADependency(type: String, file: String) {
    builder = CaptureBuilder(executable: "/src/.build/x86_64/debug/demo")
    symbolicator.define(
      0x10, [.user("Hub.connect()", module: "Wire", file: "/src/.build/checkouts/wire/Hub.swift")])
    symbolicator.define(0x20, [.user("Session.init()", module: "Zoo", file: file)])
    let (wire, zoo) = (builder.stackTrace([0x10]), builder.stackTrace([0x20]))
    let connection = builder.object(of: builder.type("Wire.Connection<Zoo.Session>"), stackTrace: wire)
    let session = builder.object(of: builder.type(type), stackTrace: zoo)
    builder.cycle(connection, "session", session, "connection")
    let isOwn = !file.contains("checkouts")
    #expect(finding().type == (isOwn ? type : "Wire.Connection<Zoo.Session>"))
  }

  @Test mutating func aFindingOfSeveralTestsKeepsTheName() throws {
    let (_, loader) = leakLoader()
    var merged = finding()
    merged.add(finding(after: loader))
    #expect(merged.type == "Demo.Loader")
    merged.add(finding())
    #expect(merged.type == "Demo.Loader")
    let recorded = try #require(Finding(encoded: finding(after: loader).encoded))
    #expect(recorded.isNamedByTest)
  }

  /// A loader and its client hold each other.
  @discardableResult
  private mutating func leakLoader(_ client: UInt32 = 0, _ loader: UInt32 = 0) -> (UInt32, UInt32) {
    let client = builder.object(of: builder.type("Demo.Client"), stackTrace: client)
    let loader = builder.object(of: builder.type("Demo.Loader"), stackTrace: loader)
    builder.cycle(loader, "client", client, "delegate")
    return (client, loader)
  }

  private func finding(after subject: UInt32? = nil) -> Finding {
    let subjects = subject.map { [builder.capture.objects[Int($0)].address] } ?? []
    return UnnamedAnalysis(of: builder.capture).named(by: symbolicator, after: Set(subjects)).findings[0]
  }
}
