import Foundation
import TestSupport
import Testing

/// Checks of the documents: links have targets, commands have the documented options, and examples compile.
@Suite("Documents")
struct DocumentTests {
  @Test("every link has a file and a heading as its target", arguments: Document.all)
  func linksHaveTargets(document: Document) throws {
    let folder = URL(fileURLWithPath: "\(Document.repository)/\(document.path)").deletingLastPathComponent()
    for link in try document.prose.flatMap(links) where !link.contains("://") {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let target =
        parts[0].isEmpty
        ? "\(Document.repository)/\(document.path)"
        : URL(fileURLWithPath: String(parts[0]), relativeTo: folder).standardizedFileURL.path
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
      guard parts.count == 2, target.hasPrefix(Document.repository + "/") else { continue }
      let anchors = try Document(path: String(target.dropFirst(Document.repository.count + 1))).anchors
      #expect(anchors.contains(String(parts[1])), "\(link)")
    }
  }

  @Test("every script that a document names exists", arguments: Document.all)
  func scriptsExist(document: Document) throws {
    for match in try document.lines.flatMap({ $0.matches(of: /(?:^|[\s`])(scripts\/[a-z0-9.\/-]+)/) }) {
      #expect(FileManager.default.isExecutableFile(atPath: "\(Document.repository)/\(match.1)"), "\(match.1)")
    }
  }

  @Test(
    "every document that the code names exists", arguments: ["Benchmarks", "Sources", "Tests", "scripts"])
  func namedDocumentsExist(folder: String) throws {
    let root = "\(Document.repository)/\(folder)"
    for path in try FileManager.default.subpathsOfDirectory(atPath: root) where !path.contains(".build/") {
      let text = try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
      for match in text?.matches(of: /Documentation\/[A-Za-z\/-]+\.md/) ?? [] {
        let document = "\(Document.repository)/\(match.0)"
        #expect(FileManager.default.fileExists(atPath: document), "\(folder)/\(path): \(match.0)")
      }
    }
  }

  @Test("every source file and every C function that a document names exists", arguments: Document.all)
  func namedSourcesExist(document: Document) throws {
    let name = /`(liveobj_\w+|[\w+\/]+\.(?:c|h|def|swift))`/
    for match in try document.prose.flatMap({ $0.matches(of: name) }) {
      let exists = Self.sourceNames.contains(String(match.1))  // the whole set would be in the issue
      #expect(exists, "\(match.1)")
    }
  }

  /// The names of all source files, alone and with their folders, and all names in C that begin with `liveobj_`.
  private static let sourceNames: Set<String> = {
    let files = ["Sources", "Tests"].flatMap { folder in
      let paths = FileManager.default.enumerator(atPath: "\(Document.repository)/\(folder)")?.allObjects
      return ((paths as? [String]) ?? []).map { "\(folder)/\($0)" }
    }
    return files.reduce(into: []) { names, path in
      let parts = path.split(separator: "/")
      names.formUnion(parts.indices.map { parts[$0...].joined(separator: "/") })
      guard path.contains(/\.[ch]$/) else { return }
      let text = try? String(contentsOfFile: "\(Document.repository)/\(path)", encoding: .utf8)
      names.formUnion(text?.matches(of: /liveobj_\w+/).map { String($0.0) } ?? [])
    }
  }()

  @Test("every scenario is in the document of scenarios")
  func scenariosAreDocumented() throws {
    let folder = "\(Document.repository)/Tests/Fixtures/Scenarios"
    let text = try Document(path: "Documentation/internals/scenarios.md").lines.joined(separator: "\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).flatMap {
      try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8).matches(of: /Scenario\("(\w+)"/).map(\.1)
    }
    #expect(names.count > 100)
    #expect(names.filter { !text.contains("`\($0)`") }.isEmpty)
  }

  @Test("every option of `liveobjects` in a document exists", arguments: Document.all)
  func optionsExist(document: Document) throws {
    for command in try commands(in: document) {
      let options = try #require(Subcommand(rawValue: command[0]), "liveobjects \(command[0])").options
      for word in command.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
        let option = String(word.prefix { $0 != "=" })
        #expect(options.contains(option), "liveobjects \(command.joined(separator: " "))")
      }
    }
  }

  /// Files besides documents that users copy, or that name documents.
  private static let others = [
    "Documentation/examples/leaks.yml", "Documentation/schemas/liveobjects-report-1.schema.json",
    "Sources/LiveObjectsReport/Formats/SARIF/SARIFRules.swift",
  ].map(Document.init)

  @Test("every document has the address that the build states", arguments: Document.all + others)
  func addressIsStated(document: Document) throws {
    let build = try Document(path: "CMakeLists.txt").lines.joined(separator: "\n")
    let stated = try #require(build.firstMatch(of: /HOMEPAGE_URL (\S+)\)/)).1
    for match in try document.lines.flatMap({ $0.matches(of: /https:[^\s"`)]+\/LiveObjects\b/) }) {
      #expect(match.0 == stated)
    }
  }

  @Test("every document has the version of the tool", arguments: Document.all + others)
  func versionIsThatOfTheTool(document: Document) throws {
    let version = try runProgram(BuiltProducts.tool, ["--version"]).standardOutput.dropLast()
    let named = /(?:LiveObjects", from: "|liveobjects[-_]|VERSION: "|--branch |^## \[)(\d+\.\d+\.\d+)/
    // The changelog has the sections of earlier versions behind that of the newest.
    let matches = try document.lines.flatMap { $0.matches(of: named) }
    for match in document.path == "CHANGELOG.md" ? Array(matches.prefix(1)) : matches {
      #expect(match.1 == version, "\(match.0)")
    }
  }

  @Test("every Swift example compiles", arguments: try SwiftExample.all)
  func examplesCompile(example: SwiftExample) throws {
    let folder = try TemporaryFolder()
    let file = try folder.source(example.source, named: "Example.swift")
    let demo = try Compiler.sources(of: "Documents")
    try Compiler.run(
      "swiftc",
      ["-typecheck", "-parse-as-library", "-swift-version", "6", file] + demo + Compiler.searchPaths)
  }
}

/// The targets of `[text](target)`.
private func links(in line: Substring) -> [String] {
  line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
}

// MARK: - Commands

/// The arguments of `liveobjects` wherever a document calls it: in a shell's block, or between backquotes.
private func commands(in document: Document) throws -> [[String]] {
  let shell = try document.blocks.filter { ["sh", "bash", "console"].contains($0.language) }.flatMap(\.text)
  let spans = try document.prose.flatMap { line in line.matches(of: /`([^`]+)`/).map { $0.1 } }
  return (shell + spans.filter { $0.hasPrefix("liveobjects ") }).compactMap { line in
    let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
    guard let tool = words.firstIndex(where: { $0 == "liveobjects" || $0.hasSuffix("/bin/liveobjects") }),
      tool == 0 || words[0] == "$" && tool == 1
    else { return nil }
    return Array(words[(tool + 1)...])
  }
}

private enum Subcommand: String {
  case run, test, baseline, verify, report, merge, diff, snapshot, memory, top, timeline
  case testRunner = "test-runner"

  /// All options in the help; those of `test` and `verify` include SwiftPM's, and `baseline` has those of `test`.
  var options: Set<String> {
    get throws {
      if self == .baseline { return try Subcommand.test.options }
      var help = try runProgram(BuiltProducts.tool, [rawValue, "--help"]).standardOutput
      if self == .test || self == .verify {
        help += try runProgram(try Compiler.find("swift"), ["test", "--help"]).standardOutput
      }
      return Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.0) } + ["--help"])
    }
  }
}

// MARK: - Swift

/// A block of Swift in a document, as a file that can be compiled.
struct SwiftExample: Sendable, CustomTestStringConvertible {
  let block: Document.Block

  var testDescription: String { block.testDescription }

  /// All but parts of a package's manifest, and, with an older compiler, what Swift Testing gained in 6.1.
  static var all: [SwiftExample] {
    get throws {
      try Document.all.flatMap { try $0.blocks }.filter { $0.language == "swift" && !$0.isOfManifest }
        .filter { block in
          #if compiler(>=6.1)
            true
          #else
            !block.text.contains { $0.contains("detectsLeaks") }
          #endif
        }
        .map { SwiftExample(block: $0) }
    }
  }

  /// A part of a file gets its imports, and statements a function around them.
  var source: String {
    let text = block.text.joined(separator: "\n").replacing("…", with: "")
    if text.hasPrefix("import ") { return text }
    let imports = ["LiveObjects", "LiveObjectsTesting", "LiveObjectsXCTest", "Testing", "XCTest"]
      .map { "import \($0)\n" }.joined()
    return imports + (text.hasPrefix("@") ? text : "func example() async throws {\n\(text)\n}")
  }
}

extension Document.Block {
  fileprivate var isOfManifest: Bool { text.first == "dependencies: [" }
}
