import Foundation
import TestSupport
import Testing

/// The public API of the libraries is stored as text, so that every change is noticed.
@Suite("The public API")
struct PublicAPITests {
  @Test("is that of Tests/DocumentTests/API", arguments: Self.libraries)
  func isAsCommitted(library: String) throws {
    let file = "Tests/DocumentTests/API/\(library).txt"
    let path = "\(Document.repository)/\(file)"
    let lines = try lines(of: library)
    if ProcessInfo.processInfo.environment["ACCEPT_API"] != nil {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
    }
    let committed = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    let changes = lines.difference(from: committed.filter(Self.isAvailable)).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
    guard !changes.isEmpty else { return }
    Issue.record(
      """
      The public API of \(library) is not that of \(file):
      \(changes.joined(separator: "\n"))
      To accept the change: ACCEPT_API=1 swift test --filter PublicAPITests, and a line in CHANGELOG.md.
      """)
  }

  private static var libraries: [String] {
    let libraries = ["LiveObjects", "LiveObjectsTesting", "LiveObjectsXCTest"]
    #if compiler(>=6.2)
      return libraries + ["LiveObjectsMetrics"]
    #else
      return libraries
    #endif
  }

  /// The library's own declarations, and those of the types in other modules of the package that they mention.
  private func lines(of library: String) throws -> [String] {
    let own = try SymbolGraph(of: library)
    guard library == "LiveObjects" else { return own.lines }
    let others = try ["LiveObjectsAnalysis", "LiveObjectsCapture"].map(SymbolGraph.init)
    var types: Set<String> = []
    var found = own.symbols
    while !found.isEmpty {
      let mentioned = Set(found.flatMap(\.declarationFragments).compactMap(\.preciseIdentifier))
      let new = others.flatMap(\.symbols).filter {
        mentioned.contains($0.identifier.precise) && !types.contains($0.path)
      }
      types.formUnion(new.map(\.path))
      found = others.flatMap(\.symbols).filter { symbol in new.contains { symbol.isPart(of: $0.path) } }
    }
    return
      (own.lines + others.flatMap { $0.filter { symbol in types.contains { symbol.isPart(of: $0) } }.lines })
      .sorted()
  }

  /// With an older compiler, all but what Swift Testing gained in 6.1.
  private static func isAvailable(_ line: String) -> Bool {
    #if compiler(>=6.1)
      true
    #else
      !line.contains(/LeakDetection|detectsLeaks/)
    #endif
  }
}

extension SymbolGraph.Symbol {
  /// Whether this is the type with that path, or a declaration inside it.
  fileprivate func isPart(of type: String) -> Bool { path == type || path.hasPrefix(type + ".") }
}
