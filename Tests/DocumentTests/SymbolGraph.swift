import Foundation
import TestSupport

/// The public declarations of a module, as the toolchain's own `swift-symbolgraph-extract` lists them.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable { var precise: String }
    struct Fragment: Decodable {
      var spelling: String
      var preciseIdentifier: String?
    }

    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]

    var path: String { pathComponents.joined(separator: ".") }

    /// The type that the declaration belongs to, and the declaration; without a type, the declaration.
    var line: String {
      // Swift 6.2 omits the attribute of a parameter's type.
      let declaration = declarationFragments.map(\.spelling).joined().replacing("@Sendable ", with: "")
      let type = pathComponents.dropLast().joined(separator: ".")
      return type.isEmpty ? declaration : "\(type): \(declaration)"
    }
  }

  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var targetFallback: String?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  /// Of a module of the package, with its extensions of other modules' types.
  init(of module: String) throws {
    let folder = try TemporaryFolder()
    try Compiler.run(
      "swift-symbolgraph-extract",
      ["-module-name", module, "-minimum-access-level", "public", "-skip-synthesized-members"]
        + ["-target", try Compiler.target(), "-output-dir", folder.path] + Compiler.searchPaths)
    let graphs = try folder.names().map { name in
      try JSONDecoder().decode(SymbolGraph.self, from: Data(try folder.bytes(of: name)))
    }
    symbols = graphs.flatMap(\.symbols)
    relationships = graphs.flatMap(\.relationships)
  }

  /// The symbols that satisfy a condition, with the relationships of these.
  func filter(_ isIncluded: (Symbol) -> Bool) -> SymbolGraph {
    var graph = self
    graph.symbols = symbols.filter(isIncluded)
    let identifiers = Set(graph.symbols.map(\.identifier.precise))
    graph.relationships = relationships.filter { identifiers.contains($0.source) }
    return graph
  }

  /// A sorted line for each declaration, and for the declared conformances of each type.
  var lines: [String] {
    let paths = Dictionary(
      symbols.map { ($0.identifier.precise, $0.path) }, uniquingKeysWith: { first, _ in first })
    var conformances: [String: Set<String>] = [:]
    for conformance in relationships where conformance.kind == "conformsTo" {
      let name = paths[conformance.target] ?? conformance.targetFallback ?? conformance.target
      guard !Self.implied.contains(name), let type = paths[conformance.source] else { continue }
      conformances[type, default: []].insert(name)
    }
    let lists = conformances.map { "\($0): conforms to \($1.sorted().joined(separator: ", "))" }
    return (symbols.map(\.line) + lists).sorted()
  }

  /// Protocols that the compiler adds by itself; which ones differs between its versions.
  private static let implied = [
    "Swift.BitwiseCopyable", "Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype",
  ]
}
