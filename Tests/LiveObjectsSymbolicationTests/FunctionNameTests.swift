import CaptureFixtures
import Testing

@testable import LiveObjectsSymbolication

@Suite("A function's short name")
struct FunctionNameTests {
  @Test(
    "is not shortened if it is too long, and needs neither stack nor time for that",
    arguments: ["(extension in A):", "generic specialization <A> of ", "<A(", "implicit closure #1 in "])
  func isNotShortened(part: String) {
    let seconds = processorSeconds {
      let name = FunctionName(demangled: String(repeating: part, count: 100_000) + "Demo.f() -> ()")
      #expect(name.function.hasPrefix(part))
      #expect(name.function.utf8.count < 10_000)
      let shorter = FunctionName(demangled: String(repeating: part, count: 8000 / part.utf8.count))
      #expect(!shorter.function.isEmpty)
    }
    #expect(seconds < mostProcessorSeconds)
  }

  @Test(
    "omits types and module",
    arguments: [
      ("Demo.Loader.load(completion: (Swift.String) -> ()) -> ()", "Loader.load(completion:)"),
      ("Demo.Loader.load(_: Swift.Int, from: () -> [Swift.Int]) throws -> ()", "Loader.load(_:from:)"),
      ("Demo.Loader.load(Swift.Int, (a: Swift.Int, b: Swift.Int)) -> ()", "Loader.load(_:_:)"),
      ("Demo.Loader.__allocating_init() -> Demo.Loader", "Loader.__allocating_init()"),
      ("static Demo.Loader.make() -> Demo.Loader", "static Loader.make()"),
      ("Demo.Loader.name.getter : Swift.String", "Loader.name.getter"),
      (
        "Demo.Loader.subscript.getter : (_: Swift.Int, x: Swift.String) -> Swift.Int",
        "Loader.subscript.getter"
      ),
      ("Demo.Loader.deinit", "Loader.deinit"),
      ("Demo.run(with: inout Swift.Int) async throws -> ()", "run(with:)"),
      ("Demo.P.ns@Sendable (with: Swift.Int, _: Swift.String) async throws -> Swift.Int", "P.ns(with:_:)"),
      ("Demo.wait(for: @Sendable () async -> (), _: Swift.Int) -> ()", "wait(for:_:)"),
      (
        "Demo.Loader.h.modify : ((Swift.String) -> ())? with unmangled suffix \".resume.0\"",
        "Loader.h.modify"
      ),
      (
        "variable initialization expression of Demo.A.n : Swift.Int",
        "variable initialization expression of A.n"
      ),
      ("default argument 0 of Demo.f(x: Swift.Int) -> ()", "default argument 0 of f(x:)"),
      ("Demo.`make <x> from a.b`() -> ()", "`make <x> from a.b`()"),
      (
        "Demo.`<b>(1)</b>`.`go @ http://x.y (now)`(_: Swift.Int, `for: [a`: Swift.Int) -> ()",
        "`<b>(1)</b>`.`go @ http://x.y (now)`(_:`for: [a`:)"
      ),
      ("Demo.Box.`a.b <c>`.getter : Swift.Int", "Box.`a.b <c>`.getter"),
    ])
  func omitsTypesAndModule(demangled: String, expected: String) {
    let name = FunctionName(demangled: demangled)
    #expect(name.function == expected)
    #expect(name.module == "Demo")
  }

  @Test(
    "keeps the contexts of closures and local functions",
    arguments: [
      (
        "closure #1 (Swift.String) -> () in Demo.Loader.load(completion: (Swift.String) -> ()) -> ()",
        "closure #1 in Loader.load(completion:)"
      ),
      (
        "closure #2 @Sendable () async -> () in closure #1 () -> () in Demo.f() -> ()",
        "closure #2 in closure #1 in f()"
      ),
      (
        "closure #1 () -> () in inner #1 <A><A1>(A1) -> () in Demo.Box.run(with: A) -> ()",
        "closure #1 in inner #1 in Box.run(with:)"
      ),
      ("closure #1 (Swift.String) -> () in Demo", "closure #1"),
      (
        "closure #1 nonisolated(nonsending) (Swift.Int) async -> () in Demo.P.go() -> ()",
        "closure #1 in P.go()"
      ),
      (
        "closure #1 @Swift.MainActor () async -> () in closure #1 (Swift.Int) -> () in Demo.D.each([Swift.Int]) -> ()",
        "closure #1 in closure #1 in D.each(_:)"
      ),
      (
        "async function pointer to partial apply forwarder for closure #1 () async -> () in Demo.A.st() -> ()",
        "closure #1 in A.st()"
      ),
      (
        "partial apply forwarder for implicit closure #2 () -> () in implicit closure #1 (Demo.A) -> () -> () in Demo.A.go() -> ()",
        "implicit closure #2 in A.go()"
      ),
      (
        "closure #1 () -> () in implicit closure #1 (Demo.A) -> () in Demo.A.go() -> ()",
        "closure #1 in implicit closure #1 in A.go()"
      ),
      (
        "init(x: Swift.Int) -> Local #1 in Demo.f() -> () in Local #1 in Demo.f() -> ()",
        "init(x:) in f() in Local #1 in f()"
      ),
    ])
  func keepsContexts(demangled: String, expected: String) {
    let name = FunctionName(demangled: demangled)
    #expect(name.function == expected)
    #expect(name.module == "Demo")
  }

  @Test(
    "omits compiler-generated thunks around the function",
    arguments: [
      "partial apply forwarder for Demo.Box.f() -> ()",
      "generic specialization <Swift.Int, (Swift.String) -> ()> of Demo.Box.f() -> ()",
      "function signature specialization <Arg[0] = Dead> of generic specialization <Swift.Int> of Demo.Box.f() -> ()",
      "(1) await resume partial function for partial apply forwarder for Demo.Box.f() async -> ()",
      "protocol witness for Demo.Box.f() -> () in conformance Demo.Other : Demo.Box in Demo",
      "Demo.(Box in _8E34543FA00B3A97BCFBD7BFA4EE5AD5).f() -> ()",
      "Demo.(Box in _8E34543FA00B3A97BCFBD7BFA4EE5AD5).(f in _8E34543FA00B3A97BCFBD7BFA4EE5AD5)() -> ()",
      "Demo.Box<A where A: Swift.Sequence, A.Element == Swift.Int>.f<B>() -> ()",
      "(extension in Demo):Swift.Box<A>.f() -> ()",
    ])
  func omitsCompilerGeneratedParts(demangled: String) {
    let name = FunctionName(demangled: demangled)
    #expect(name.function == "Box.f()")
    #expect(name.module == "Demo")
  }

  @Test(
    "is marked if the function was merged with others",
    arguments: [
      "merged Demo.Box.f() -> ()", "merged generic specialization <Swift.Int> of Demo.Box.f() -> ()",
    ])
  func marksMergedFunctions(demangled: String) {
    let name = FunctionName(demangled: demangled)
    #expect(name.function == "Box.f() (or one merged with it)")
    #expect(name.module == "Demo")
  }

  @Test(
    "keeps operators whole",
    arguments: [
      ("static Demo.Loader.== infix(Demo.Loader, Demo.Loader) -> Swift.Bool", "static Loader.==(_:_:)"),
      ("static Demo.Loader.< infix(Demo.Loader, Demo.Loader) -> Swift.Bool", "static Loader.<(_:_:)"),
      ("static Demo.Loader.<- prefix(Demo.Loader) -> Swift.Bool", "static Loader.<-(_:)"),
      ("Demo.>> infix(Demo.Loader, Demo.Loader) -> Swift.Bool", ">>(_:_:)"),
    ])
  func keepsOperators(demangled: String, expected: String) {
    #expect(FunctionName(demangled: demangled).function == expected)
  }

  @Test(
    "never traps, and never ends up empty",
    arguments: [
      "(", ")", "<", ">", "()", "->", " ", " in ", ".", "..", "a.", ".a", "(extension in ",
      "(extension in X)",
      "(extension in X):", "partial apply forwarder for ", "merged ", "(1) ", "(12", "closure #1 ()",
      "infix(",
      "generic specialization <A> of ", "a<b(c>d)", " in _00000000000000000000000000000000",
      "( in _00000000000000000000000000000000)", "reabstraction thunk helper from @escaping () -> ()",
    ])
  func neverTraps(weird: String) {
    #expect(!FunctionName(demangled: weird).function.isEmpty)
  }

  @Test("takes linear time whatever the nesting", arguments: ["(", "a.b<", "(a: ", "closure #1 () in "])
  func survivesDeepNesting(part: String) {
    #expect(!FunctionName(demangled: String(repeating: part, count: 10_000)).function.isEmpty)
  }

  @Test("comes from the runtime's demangler")
  func comesFromTheRuntimesDemangler() {
    #expect(demangle(symbol: "$s4Demo6LoaderC4loadyyF") == "Demo.Loader.load() -> ()")
    #expect(demangle(symbol: "main") == nil)
  }
}
