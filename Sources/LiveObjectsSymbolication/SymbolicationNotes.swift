/// The files whose frames have no names, with the reasons: a sentence each.
struct SymbolicationNotes {
  enum Problem: CaseIterable {
    case missingSymbolizer
    /// With the reason behind the path.
    case failedSymbolizer
    /// The path in the capture leads to another file than the one that ran.
    case otherBuild
    case missing
    /// A file of `--binaries` is not the one that ran, which was found elsewhere.
    case unusedBuild
    /// Nothing in it identifies it.
    case withoutBuildID
    /// A file of the program's own without debug information.
    case lineless
  }

  private var files: [Problem: Set<String>] = [:]

  mutating func add(_ problem: Problem, _ path: String) { files[problem, default: []].insert(path) }

  var sentences: [String] {
    Problem.allCases.flatMap { problem in
      files[problem, default: []].sorted().map { Self.sentence(problem, $0) }
    }
  }

  private static func sentence(_ problem: Problem, _ file: String) -> String {
    switch problem {
    case .missingSymbolizer:
      "\(file) was not found, so files and lines are missing: install the package `llvm`, or put a Swift "
        + "toolchain that has it into PATH."
    case .failedSymbolizer: "\(file): no file and line."
    case .otherBuild: "\(file): another build (build id differs), so its frames have no names."
    case .missing:
      "\(file): not on this machine, so its frames have no names. `--binaries FOLDER` names a folder to search."
    case .unusedBuild: "\(file): another build (build id differs) than the one that ran, so not used."
    case .withoutBuildID: "\(file): no build id, so only its symbol table was read: link with --build-id."
    case .lineless: "\(file): no debug information, so lines are missing: build with -g."
    }
  }
}
