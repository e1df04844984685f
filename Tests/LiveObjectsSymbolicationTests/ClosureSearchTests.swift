import Foundation
import LiveObjectsAnalysis
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsSymbolication

@Suite("A closure in a source file")
struct ClosureSearchTests {
  private static let search = ClosureSearch(
    in: SourceText(
      #"""
      func plain(_ values: [Int] = [1].map { $0 }) -> [Int] where Int: Equatable {
        if values.count > 1, let first = values.first(where: { $0 > 2 }) {
          return values.filter { $0 != first }.map {
            $0 + 1
          }
        }
        let later: () -> Void
        later = { print("\(values.map { $0 })") }
        func local(_ more: Int) { use { more } }
        struct Inner { func method() { use { 1 } } }
        var computed: Int { values.reduce(0) { $0 + $1 } }
        switch values.count {
        case let count where count > 3: use { count }
        default: do { use { 4 } } catch let error { use { error } }
        }
        for value in values where value > 1 { Task { await run { value } } }
        let call = use { 5 }
        return use(if: { 6 }) else: { 7 }
      }
      init() { use { 8 } }
      func two() { use { 1 } }; func other() { use { 1 } }
      func conditional() {
        #if DEBUG
          use { 1 }
        #endif
        use { 2 }
      }
      func expression() { use(/a{2}/) { 1 } }
      func again() { repeat { use { 1 } } while isTrue }
      func open() { use { 1 }
      """#))

  @Test(
    "has the line of its brace",
    arguments: [
      (1, 2), (2, 3), (3, 3), (4, 8), (5, 13), (6, 14), (7, 14), (8, 16), (9, 17), (10, 18), (11, 18),
    ])
  func numbered(closure: Int, line: Int) {
    #expect(Self.search.line(ofClosure: [closure], inFunctionAt: 1) == line)
  }

  @Test("has its number within another one", arguments: [([4, 1], 8), ([8, 1], 16)])
  func nested(closure: [Int], line: Int) {
    #expect(Self.search.line(ofClosure: closure, inFunctionAt: 1) == line)
  }

  @Test("of an initialiser")
  func initializer() {
    #expect(Self.search.line(ofClosure: [1], inFunctionAt: 20) == 20)
  }

  @Test("has no line where it is not clear", arguments: [1, 2, 19, 21, 22, 28, 29, 30, 99])
  func unclear(line: Int) {
    #expect(Self.search.line(ofClosure: [line == 1 ? 12 : 1], inFunctionAt: line) == nil)
  }
}

/// Optimised, closures are inlined into the code that calls them, or merged with equal ones.
@Suite("A closure of an optimised program")
struct OptimizedClosureTests {
  private static let source = """
    final class Dialog {
      var (first, second, third): (() -> Void, () -> Void, (Int) -> Void) = ({}, {}, { _ in })
      var number = 0
      @inline(never) func close() { print(number) }
      @inline(never) func merged() {
        first = { self.close() }
        second = {
          self.close()
        }
      }
      @inline(never) func inlined() {
        third = { number in
          print(number)
          self.number = number
        }
      }
      @inline(never) func local() {
        func again() {
          number += 1
          first = again
        }
        again()
      }
    }
    let dialog = Dialog()
    dialog.merged(); dialog.first(); dialog.second()
    dialog.inlined(); dialog.third(1)
    dialog.local(); dialog.first()
    """

  @Test("has the line of its declaration")
  func hasItsLine() throws {
    let folder = try TemporaryFolder()
    let (main, program) = (try folder.source(Self.source, named: "main.swift"), folder.path("App"))
    try Compiler.run("swiftc", ["-O", "-g", main, "-o", program])
    let file = try #require(ELFFile(path: program))
    var capture = ownCapture
    capture.images[0].path = program
    capture.images[0].buildID = file.buildID
    let closures = SymbolTable(of: file, .functions).all { $0.contains("6DialogC") && $0.contains("TA") }
    let frames = Set(closures.map { Frame(entry: $0.address, of: 0) })
    let named = BinarySymbolicator().symbolicate(frames, of: capture)
    let lines = Dictionary(
      named.values.compactMap(\.last).map { ($0.function ?? "", $0.line) },
      uniquingKeysWith: { first, _ in first })
    #expect(
      lines == [
        "closure #1 in Dialog.merged()": 6, "closure #2 in Dialog.merged()": 7,
        "closure #1 in Dialog.inlined()": 12,
        "again #1 in Dialog.local()": 18,
      ])
  }
}
