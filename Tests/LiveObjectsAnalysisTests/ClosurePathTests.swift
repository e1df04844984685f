import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Names of a closure's captured objects.
@Suite struct ClosurePathTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()
  private static let closure = "closure #1 in Demo.Future.and(_:)"

  @Test mutating func anObjectOfTheMethodsTypeIsNamedSelf() {
    let (future, context) = futureWithClosure()
    capture(future, in: context, as: "Demo.Future<Swift.Int>")
    capture(builder.object(of: builder.type("Demo.Loop")), in: context, as: "Demo.Loop")
    #expect(path == ["Demo.Future<Swift.Int>.callback", "\(Self.closure).self"])
  }

  @Test mutating func withTwoObjectsOfTheMethodsTypeNoneIsNamedSelf() {
    let (future, context) = futureWithClosure()
    capture(future, in: context, as: "Demo.Future<Swift.Int>")
    capture(builder.object(of: builder.type("Demo.Future<()>")), in: context, as: "Demo.Future<()>")
    #expect(path == ["Demo.Future<Swift.Int>.callback", "\(Self.closure).captured Future<Swift.Int>"])
  }

  @Test mutating func anObjectInAnotherCapturedValueIsNoSecondSelf() {
    let (future, context) = futureWithClosure()
    capture(future, in: context, as: "Demo.Future<Swift.Int>")
    let inner = builder.object(of: builder.type("Demo.Future<()>"))
    capture(inner, in: context, as: "Demo.Future<()>.Promise\tfuture")
    #expect(path == ["Demo.Future<Swift.Int>.callback", "\(Self.closure).self"])
  }

  @Test mutating func framesOfTracesAndPathsAreSymbolicatedTogether() {
    let (future, context) = futureWithClosure()
    capture(future, in: context, as: "Demo.Future<Swift.Int>")
    builder.objects(of: builder.type("Demo.Loop"), stackTrace: builder.stackTrace([0x20]))
    _ = path
    #expect(symbolicator.requests.count > 1)
    #expect(symbolicator.prepared == symbolicator.requests.reduce([]) { $0.union($1) })
  }

  private mutating func futureWithClosure() -> (future: UInt32, context: UInt32) {
    let future = builder.object(of: builder.type("Demo.Future<Swift.Int>"))
    let context = builder.object(of: builder.type("", kind: .closureContextOrBox))
    symbolicator.define(0x101, [.user("closure #1 in Future.and(_:)")])
    builder.reference(
      from: future, to: context, property: "callback", function: builder.function(0x101))
    return (future, context)
  }

  private mutating func capture(_ object: UInt32, in context: UInt32, as text: String) {
    builder.reference(from: context, to: object, ReferenceLabel(.capture, text: text))
  }

  private var path: [String]? {
    Analysis(of: builder.capture, symbolicator: symbolicator).findings.first.map(steps)
  }
}
