import Foundation
import TestSupport
import Testing

/// Call sites of objects that were allocated after a suspension.
struct AsyncStackTests {
  /// Functions of the program, innermost first, by the type of the object that they leaked.
  static let callers: [(type: String, functions: [String])] = {
    let fromMain = ["inner(_:_:)", "middle(_:_:)", "outer(_:_:)", "static AsyncCalls.main()"]
    return [
      ("AtOnce", fromMain),
      ("AfterSleep", fromMain),
      ("AfterYield", fromMain),
      ("AfterContinuation", fromMain),
      ("OfGroup", ["inner(_:_:)", "middle(_:_:)", "closure #1 in closure #1 in group()"]),
      ("OfAsyncLet", ["inner(_:_:)", "middle(_:_:)"]),
      ("OfActor", ["inner(_:_:)", "Worker.work()", "actor()", "static AsyncCalls.main()"]),
      ("OfDetached", ["inner(_:_:)", "middle(_:_:)", "closure #1 in detached()"]),
      (
        "InSynchronousCall",
        ["synchronous(_:)", "callsSynchronous()", "waitsForSynchronous()", "static AsyncCalls.main()"]
      ),
    ]
  }()

  @Test("the stack continues with the awaiting callers, in order", arguments: ["-Onone", "-O"])
  func waitingCallers(optimization: String) throws {
    let report = try report(optimization)
    for (type, functions) in Self.callers {
      let finding = try #require(
        report.findings.first { $0.type == "AsyncCalls." + type }, "\(type): \(report.findings)")
      let stack = finding.allocatedAt.flatMap(\.frames).compactMap(\.function)
      // One function may be several frames: inlined, or its resumption and a thunk of the same name.
      let relevant = stack.filter(functions.contains)
      #expect(relevant.removingRepetitions() == functions, "\(type): \(stack)")
    }
  }

  private func report(_ optimization: String) throws -> JSONReport {
    let folder = try TemporaryFolder()
    let program = folder.path("AsyncCalls")
    try Compiler.run(
      "swiftc",
      Compiler.sources(of: "AsyncCalls") + [
        "-swift-version", "6", "-parse-as-library", "-module-name", "AsyncCalls", "-g", optimization,
        "-o", program,
      ])
    let run = try runProgram(
      program,
      environment: [
        "LD_PRELOAD": BuiltProducts.preloadLibrary,
        "LIVEOBJECTS_OPTIONS": "output=\(folder.path("report")):format=json",
      ])
    #expect(run.status == .exited(0), "\(run.standardError)")
    return try JSONReport(folder.bytes(of: "report"))
  }
}

extension Array where Element: Equatable {
  fileprivate func removingRepetitions() -> [Element] {
    reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
}
