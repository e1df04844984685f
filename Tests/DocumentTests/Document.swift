import Foundation
import TestSupport
import Testing

/// A document of the repository, in Markdown.
struct Document: Sendable, CustomTestStringConvertible {
  static let repository = URL(fileURLWithPath: Compiler.sourceFolder).deletingLastPathComponent().path

  /// README and its like, the guides, and the catalogues of the libraries.
  static let all: [Document] = {
    let roots = ["CHANGELOG.md", "CONTRIBUTING.md", "README.md"]
    let inside = ["Documentation", "Sources"].flatMap { folder in
      let paths = FileManager.default.enumerator(atPath: "\(repository)/\(folder)")?.allObjects as? [String]
      return (paths ?? []).sorted().map { "\(folder)/\($0)" }
    }
    return (roots + inside.filter { $0.hasSuffix(".md") }).map { Document(path: $0) }
  }()

  /// From the repository on.
  let path: String

  var testDescription: String { path }

  var lines: [Substring] {
    get throws {
      try String(contentsOfFile: "\(Self.repository)/\(path)", encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
    }
  }

  /// Code between fences.
  struct Block: Sendable, CustomTestStringConvertible {
    var path: String
    var line: Int
    var language: Substring
    var text: [Substring]

    var testDescription: String { "\(path):\(line)" }
  }

  var blocks: [Block] {
    get throws {
      var blocks: [Block] = []
      var isOpen = false
      for (number, line) in try lines.enumerated() {
        if line.hasPrefix("```") {
          isOpen.toggle()
          if isOpen {
            blocks.append(Block(path: path, line: number + 1, language: line.dropFirst(3), text: []))
          }
        } else if isOpen {
          blocks[blocks.count - 1].text.append(line)
        }
      }
      return blocks
    }
  }

  /// The text outside of code.
  var prose: [Substring] {
    get throws {
      var isCode = false
      return try lines.filter { line in
        if line.hasPrefix("```") { isCode.toggle() }
        return !isCode
      }
    }
  }

  /// The names of the headings, as links spell them.
  var anchors: Set<String> {
    get throws {
      Set(
        try prose.filter { $0.hasPrefix("#") }.map { heading in
          String(
            heading.drop { $0 == "#" }.dropFirst().lowercased().compactMap { character in
              if character == " " { return "-" }
              return character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
            })
        })
    }
  }
}
