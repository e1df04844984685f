import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Which reference of a cycle a hint names.
@Suite struct CycleHintTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  private mutating func object(_ type: String, madeBy function: String) -> UInt32 {
    let address = UInt64(builder.capture.objects.count) + 0x100
    symbolicator.define(address, [.user(function)])
    return builder.object(of: builder.type(type), stackTrace: builder.stackTrace([address]))
  }

  private func names() throws -> [String]? {
    let findings = Analysis(of: builder.capture, symbolicator: symbolicator).findings
    return try #require(findings.first { $0.verdict == .retainCycle }).hint?.places.map(\.name)
  }

  /// A protocol that is not limited to classes, or an enum, contains the reference back; the other one owns.
  @Test(arguments: [
    ("delegate", "RegisterTests.testScan()"), ("_parent", "RegisterTests.testScan()"),
    ("place", "Register.init()"),
  ])
  mutating func theOnlyReferenceThatCanBeWeakMayOwn(property: String, function: String) throws {
    let register = object("Demo.Register", madeBy: "RegisterTests.testScan()")
    let scanner = object("Demo.Scanner", madeBy: function)
    builder.reference(from: register, to: scanner, ReferenceLabel(.objectProperty, text: "scanner"))
    builder.reference(from: scanner, to: register, property: property)
    #expect(try names() == nil)
  }

  /// Weak, it would lose its object at once.
  @Test mutating func aPropertyThatGotANewObjectIsNotMadeWeak() throws {
    let screen = object("Demo.Screen", madeBy: "ScreenTests.testScreen()")
    let view = object("Demo.View", madeBy: "ScreenTests.testScreen()")
    builder.reference(from: screen, to: view, ReferenceLabel(.objectProperty, text: "view"))
    builder.reference(from: view, to: screen, ReferenceLabel(.objectProperty, text: "screen"))
    #expect(try names() == ["Demo.Screen.view", "Demo.View.screen"])
    symbolicator.stored = ["view = View"]
    #expect(try names() == ["Demo.View.screen"])
    symbolicator.stored = ["view = View", "screen = Screen"]
    #expect(try names() == nil)
  }

  @Test mutating func norOneThatGotTheResultOfAFunction() throws {
    symbolicator.define(0x100, [.user("static Factory.makeScreen()"), .user("ScreenTests.testScreen()")])
    let screen = builder.object(
      of: builder.type("Demo.Screen"), stackTrace: builder.stackTrace([0x100]))
    let view = object("Demo.View", madeBy: "ScreenTests.testScreen()")
    builder.reference(from: screen, to: view, ReferenceLabel(.objectProperty, text: "view"))
    builder.reference(from: view, to: screen, ReferenceLabel(.objectProperty, text: "screen"))
    symbolicator.stored = ["screen = makeScreen"]
    #expect(try names() == ["Demo.Screen.view"])
  }

  /// An element of its owner's collection refers back; an observer owns what it observes.
  @Test(arguments: [("children", "Demo.Child.model"), ("observers", "Demo.Model.add()")])
  mutating func observersAreNoPartsOfWhatTheyObserve(property: String, expected: String) throws {
    let model = object("Demo.Model", madeBy: "ModelTests.testModel()")
    let child = object("Demo.Child", madeBy: "ModelTests.testModel()")
    let storage = object("Swift._ContiguousArrayStorage<Demo.Child>", madeBy: "Model.add()")
    builder.reference(from: model, to: storage, property: property)
    builder.reference(from: storage, to: child, ReferenceLabel(.element), element: 0)
    builder.reference(from: child, to: model, ReferenceLabel(.objectProperty, text: "model"))
    #expect(try names() == [expected])
  }

  /// A subscription and its subject hold each other until it is cancelled, which the end of the `AnyCancellable` does.
  @Test(arguments: [("sink", 1), ("filter", 2)])
  mutating func theCyclesOfASubscriptionAreTheLibrarys(operation: String, captures: Int) throws {
    let code: [UInt64] = [0x901, 0x902]
    for (index, address) in code.enumerated() {
      symbolicator.define(address, [.user("closure #\(index + 1) in Model.bind()")])
    }
    let model = object("Demo.Model", madeBy: "ModelTests.testModel()")
    let token = object("OpenCombine.AnyCancellable", madeBy: "Model.bind()")
    let sink = object("OpenCombine.Subscribers.Sink<Swift.Int, Swift.Never>", madeBy: "Model.bind()")
    let subject = object(
      "OpenCombine.PassthroughSubject<Swift.Int, Swift.Never>.Conduit", madeBy: "Model.bind()")
    let closures = (0..<2).map { _ in
      builder.object(
        of: builder.type("", kind: .closureContextOrBox), stackTrace: builder.stackTrace([0x905]))
    }
    symbolicator.define(
      0x903, [.user("implicit closure #2 in AnyCancellable.init(_:)", module: "OpenCombine")])
    builder.reference(from: model, to: token, ReferenceLabel(.objectProperty, text: "token"))
    builder.reference(from: token, to: closures[0], property: "_cancel", function: builder.function(0x903))
    builder.reference(from: closures[0], to: closures[1], ReferenceLabel(.capture, text: "closure"))
    builder.reference(from: closures[1], to: sink, ReferenceLabel(.capture, text: "Sink"))
    builder.cycle(sink, "subscription", subject, "downstream")
    for (holder, address) in zip([sink, subject].prefix(captures), code) {
      builder.reference(
        from: holder, to: model, ReferenceLabel(.property, text: operation),
        function: builder.function(address))
    }
    #expect(try names()?.sorted() == (1...captures).map { "closure #\($0) in Demo.Model.bind()" })
  }

  /// `Owner.part` could not be weak; both of the part's closures capture the owner.
  @Test mutating func theClosuresOfAnOwnedObjectCaptureItsOwnerWeakly() throws {
    let owner = object("Demo.Owner", madeBy: "OwnerTests.testOwner()")
    let part = object("Demo.Part", madeBy: "Owner.init()")
    builder.reference(from: owner, to: part, ReferenceLabel(.objectProperty, text: "part"))
    for (index, property) in ["onStart", "onEnd"].enumerated() {
      let address = 0x901 + UInt64(index)
      symbolicator.define(address, [.user("closure #\(index + 1) in Owner.bind()")])
      builder.reference(
        from: part, to: owner, ReferenceLabel(.property, text: property), function: builder.function(address))
    }
    #expect(
      try names()?.sorted() == ["closure #1 in Demo.Owner.bind()", "closure #2 in Demo.Owner.bind()"])
  }

  @Test mutating func anObjectKeepsWhatItCreates() throws {
    let register = object("Demo.Register", madeBy: "RegisterTests.testScan()")
    let scanner = object("Demo.Scanner", madeBy: "Register.init()")
    builder.reference(from: register, to: scanner, ReferenceLabel(.objectProperty, text: "scanner"))
    builder.reference(from: scanner, to: register, ReferenceLabel(.objectProperty, text: "shop"))
    #expect(try names() == ["Demo.Scanner.shop"])
  }

  @Test(arguments: ["delegate", "observer", "_parent"])
  mutating func aNameSaysWhichReferenceIsTheOneBack(property: String) throws {
    let register = object("Demo.Register", madeBy: "RegisterTests.testScan()")
    let scanner = object("Demo.Scanner", madeBy: "RegisterTests.testScan()")
    builder.reference(from: register, to: scanner, ReferenceLabel(.objectProperty, text: "scanner"))
    builder.reference(from: scanner, to: register, ReferenceLabel(.objectProperty, text: property))
    #expect(try names() == ["Demo.Scanner.\(property)"])
  }
}
