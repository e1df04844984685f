/// What could not be named, and why: a sentence a reason, however many files it is about.
struct SymbolicationNotes {
  /// Images whose files are not there, and those whose files are not the ones that ran.
  private var missing: [String] = []
  private var rebuilt: [String] = []
  /// Files of `--binaries` that are not the ones that ran, where these were found elsewhere.
  private var otherBuilds: [String] = []
  /// Files of the program's own that have no debug information.
  private var lineless: [String] = []
  private var symbolizer: [String] = []

  mutating func add(missing path: String) { Self.add(path, to: &missing) }
  mutating func add(rebuilt path: String) { Self.add(path, to: &rebuilt) }

  mutating func add(otherBuild path: String) { Self.add(path, to: &otherBuilds) }
  mutating func add(lineless path: String) { Self.add(path, to: &lineless) }

  mutating func addMissingSymbolizer() {
    Self.add(
      "llvm-symbolizer was not found: no file and line. It comes with the Swift toolchain and with LLVM.",
      to: &symbolizer)
  }

  mutating func addFailedSymbolizer(_ path: String, _ reason: String) {
    Self.add("\(path) failed (\(reason)): no file and line.", to: &symbolizer)
  }

  var sentences: [String] {
    var sentences = symbolizer
    if !rebuilt.isEmpty {
      sentences.append(
        "Rebuilt since the capture, so that its frames have no names: \(Self.list(rebuilt)).")
    }
    if !missing.isEmpty {
      sentences.append(
        "Not found, so that its frames have no names: \(Self.list(missing)). "
          + "`--binaries` says where to look.")
    }
    if !otherBuilds.isEmpty {
      sentences.append("Of another build than the one that ran, so not used: \(Self.list(otherBuilds)).")
    }
    if !lineless.isEmpty {
      sentences.append(
        "\(Self.list(lineless)) \(lineless.count == 1 ? "has" : "have") no debug information, "
          + "so lines are missing: build with -g.")
    }
    return sentences
  }

  private static func add(_ text: String, to list: inout [String]) {
    if !list.contains(text) { list.append(text) }
  }

  /// The first few of many.
  private static func list(_ paths: [String]) -> String {
    let paths = paths.sorted()
    let shown = paths.prefix(3).joined(separator: ", ")
    return paths.count > 3 ? "\(shown) and \(paths.count - 3) more" : shown
  }
}
