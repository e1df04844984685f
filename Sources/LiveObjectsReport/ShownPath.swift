import LiveObjectsAnalysis

/// A finding's path as a text report shows it: one line, without modules.
struct ShownPath {
  /// An object or variable on the path, and its name in the one before.
  fileprivate struct Node {
    var name: String
    var reference: String?
  }

  /// The nodes that are shown of longer paths, at their ends.
  private static let leadingNodes = 8
  private static let trailingNodes = 3
  private static let nameWidth = 80
  private static let closing = " (cycle closes)"

  private let nodes: [Node]
  /// Whether the last node is the first.
  private let isCycle: Bool
  private let names: ModulelessNames

  /// - Returns: `nil` where the finding has no path.
  init?(of finding: Finding) {
    self.init(
      finding.path, isCycle: finding.verdict == .retainCycle || finding.verdict == .leakedTask,
      endingAt: finding.type)
  }

  /// - Returns: `nil` where no second cycle is known.
  init?(ofOtherCycleIn finding: Finding) {
    self.init(finding.otherCycle, isCycle: true, endingAt: finding.type)
  }

  private init?(_ path: [Finding.PathStep], isCycle: Bool, endingAt type: String) {
    guard let first = path.first, let last = path.last else { return nil }
    self.isCycle = isCycle
    let references: [String?] = [nil] + path.map(\.reference)
    var nodes = zip(path.map(\.type), references).map(Node.init)
    let end = isCycle ? first.type : type
    if isCycle || !last.reference.isEmpty || last.type != end {
      nodes.append(Node(name: end, reference: last.reference))
    }
    self.nodes = nodes
    names = ModulelessNames(for: nodes.map(\.name))
  }

  /// The holder of objects of the type, without its module: such objects may hold each other on the path.
  func holder(of type: String) -> String {
    let holder = nodes.first { $0.name != type } ?? nodes[0]
    return names[holder.name].shortened(to: Self.nameWidth)
  }

  /// The property or variable at the end of the path: `static SessionStore.shared.recent`.
  var property: String {
    segments.dropLast().joined(separator: " → ").shortened(to: Self.nameWidth)
  }
}

extension String {
  /// The text with `<…>` for generic arguments, if it is too long with them: what follows them, a property for example, says
  /// more.
  func shorteningArguments(to width: Int) -> String {
    guard count > width, contains("<") else { return self }
    var (short, depth, last): (String, Int, Character) = ("", 0, " ")
    for character in self {
      if character == "<" {
        depth += 1
        if depth == 1 { short += "<…" }
      }
      if character == ">", last != "-", depth > 0 { depth -= 1 }
      if depth == 0 { short.append(character) }
      last = character
    }
    return short
  }
}

// MARK: - As one line

extension ShownPath {
  /// The text between the arrows: `Loader.client`, `Spy.completion`, `closure #1 in Loader.load()`, `self`.
  var segments: [String] {
    var segments: [String] = []
    for (index, node) in nodes.enumerated() {
      let isLast = index == nodes.count - 1
      let next = isLast ? nil : nodes[index + 1].reference
      let name = isContinued(at: index) ? segments.removeLast() : self.name(of: node, at: index)
      segments.append(node.isProse || isLast ? name : Self.joined(name, next ?? ""))
    }
    segments = segments.map { $0.shorteningArguments(to: Self.nameWidth).abridged(to: Self.nameWidth) }
    if isCycle { segments[segments.count - 1] += Self.closing }
    return Self.abridged(segments)
  }

  /// Whether a node continues a variable: `static Registry.shared` and its property `items` are shown as
  /// `static Registry.shared.items`.
  private func isContinued(at index: Int) -> Bool {
    index > 0 && index < nodes.count - 1 && nodes[index - 1].isVariable && nodes[index].reference == ""
      && !nodes[index].isProse
  }

  /// The name of a node; a captured object has the name that the closure uses.
  private func name(of node: Node, at index: Int) -> String {
    let name = names[node.name]
    guard let reference = node.reference, !reference.isEmpty, nodes[index - 1].isProse else { return name }
    if reference == "self" { return reference }
    // A task's closure is called `closure #1 in …`.
    if name.hasPrefix("\(reference) ") { return name }
    return node.isCalled(reference) ? "captured \(name)" : "\(reference) \(name)"
  }

  private static func joined(_ name: String, _ reference: String) -> String {
    reference.isEmpty || reference.hasPrefix("[") ? name + reference : "\(name).\(reference)"
  }

  private static func abridged(_ all: [String]) -> [String] {
    let omitted = all.count - leadingNodes - trailingNodes
    guard omitted > 1 else { return all }
    return all.prefix(leadingNodes) + ["… \(omitted) more …"] + all.suffix(trailingNodes)
  }
}

extension ShownPath.Node {
  /// `static Registry.shared`, `global cache`
  fileprivate var isVariable: Bool { name.hasPrefix("static ") || name.hasPrefix("global ") }

  /// Whether the reference names the node's type: `captured Item` for a `Demo.Item` or `Demo.Item<Int>`.
  fileprivate func isCalled(_ reference: String) -> Bool {
    let prefix = "captured "
    guard reference.hasPrefix(prefix) else { return false }
    let captured = reference.dropFirst(prefix.count)
    return [name[...], name.prefix(before: "<")].contains { $0 == captured || $0.hasSuffix(".\(captured)") }
  }

  /// Whether the name consists of words: a closure, a suspended task, a box. No property follows with a dot.
  fileprivate var isProse: Bool {
    let start = name.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    return !isVariable && !start.isEmpty && !start.contains(".")
  }
}

/// The names of one path without their modules, except where two of them would be equal.
struct ModulelessNames {
  private let ambiguous: Set<String>

  init(for names: some Sequence<String>) {
    let byShortName = Dictionary(grouping: Set(names), by: \.withoutModules)
    ambiguous = Set(byShortName.values.filter { $0.count > 1 }.joined())
  }

  subscript(name: String) -> String {
    ambiguous.contains(name) ? name : name.withoutModules
  }
}

extension String {
  /// `closure #1 in Demo.Box<Demo.Item>.run(with:)` is `closure #1 in Box<Item>.run(with:)`.
  var withoutModules: String {
    // A queue's label, in quotes, is no type; and dots in a raw identifier, in backticks, are part of it.
    var result = ""
    var rest = self[...]
    while let start = rest.firstIndex(where: { $0 == "\"" || $0 == "`" }),
      let end = rest[start...].dropFirst().firstIndex(of: rest[start])
    {
      result += String(rest[..<start]).withModulesRemoved + rest[start...end]
      rest = rest[end...].dropFirst()
    }
    return result + String(rest).withModulesRemoved
  }

  private var withModulesRemoved: String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstIndex(where: \.isPartOfIdentifier) {
      result += rest[..<start]
      let name = rest[start...].prefix { $0.isPartOfIdentifier || $0 == "." }
      // After a dot stands a type inside of a generic one: `Demo.Outer<Swift.Int>.Inner.Leaf`.
      result += result.last == "." || name.isFileName ? name : name.withoutFirstComponent
      rest = rest[name.endIndex...]
    }
    return result + rest
  }
}

extension Substring {
  fileprivate var withoutFirstComponent: Substring {
    guard let dot = firstIndex(of: ".") else { return self }
    return self[index(after: dot)...]
  }

  /// The name of an image, which stands where no function is known.
  fileprivate var isFileName: Bool {
    hasSuffix(".so") || contains(".so.") || hasSuffix(".xctest")
  }
}

extension Character {
  fileprivate var isPartOfIdentifier: Bool { isLetter || isNumber || self == "_" || self == "$" }
}
