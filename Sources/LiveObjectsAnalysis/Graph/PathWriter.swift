import LiveObjectsCapture

/// Writes a path step by step.
struct PathWriter {
  private var steps: [Finding.PathStep] = []
  private var type: String
  private var reference = ""
  /// Whether the type is a closure without a named capture yet.
  private var isClosure: Bool
  /// Whether the step has begun and has no reference yet.
  private var isOpen = false

  init(_ type: String, isClosure: Bool = false) {
    (self.type, self.isClosure) = (type, isClosure)
  }

  mutating func beginStep(_ type: String, isClosure: Bool = false) {
    steps.append(Finding.PathStep(type: self.type, reference: reference))
    (self.type, reference, self.isClosure, isOpen) = (type, "", isClosure, false)
  }

  /// The steps up to the last object, which is no step itself.
  func finished() -> [Finding.PathStep] {
    guard isOpen || steps.isEmpty else { return steps }
    return steps + [Finding.PathStep(type: type, reference: reference)]
  }
}

// MARK: - References

extension PathWriter {
  /// - Parameters:
  ///   - isBox: the reference leads to a box; one that a closure captured is that of a variable.
  ///   - canBeSelf: the closure captured nothing else that might be its `self`.
  mutating func add(_ label: ReferenceLabel, element: UInt32?, isBox: Bool, canBeSelf: Bool) {
    isOpen = true
    switch label.kind {
    case .property, .objectProperty, .content, .memory, .handler: append(label.text)
    case .element: append("[\(element ?? 0)]", label.text)
    case .key: append("[key]", label.text)
    case .value: append("[value]", label.text)
    case .member: append("[element]", label.text)
    case .capture: addCapture(isBox ? "" : label.text, canBeSelf)
    case .taskClosure: append("closure")
    case .taskFrame, .runtimeFrame: append("variable")
    case .taskResult: append("result")
    case .taskLocal: append("task-local value")
    case .waitingTask: append("waiting task")
    case .taskChild: append("child task")
    }
  }

  /// Appends `[0]` without a dot, and the path inside of the element with one.
  private mutating func append(_ subscripted: String, _ path: String) {
    reference += subscripted
    append(path)
  }

  private mutating func append(_ path: String) {
    guard !path.isEmpty else { return }
    reference += reference.isEmpty ? path : ".\(path)"
  }

  /// Adds a capture.
  ///
  /// - Parameter text: the captured type and, behind a tab, the path inside a value of it. In a box, only
  ///   that path is of interest.
  private mutating func addCapture(_ text: String, _ canBeSelf: Bool) {
    let parts = text.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
    if isClosure, reference.isEmpty { capture(String(parts[0]), [], canBeSelf: canBeSelf) }
    if parts.count > 1 { append(String(parts[1])) }
  }

  /// Adds the name by which a closure refers to the object that it captured.
  mutating func capture(_ captured: String, _ superclasses: [String], canBeSelf: Bool = true) {
    isOpen = true
    let captured = TypeName(captured)
    let candidates = [captured] + superclasses.map(TypeName.init)
    if captured.text.isEmpty {
      reference = "captured variable"
    } else if canBeSelf, candidates.contains(where: { Self.isSelf($0, in: type) }) {
      reference = "self"
    } else {
      reference = "captured \(captured.moduleless)"
    }
  }

  /// Whether the closure is in a method of the type: `closure #1 in Demo.Loader.load(completion:)`.
  private static func isSelf(_ captured: TypeName, in closure: String) -> Bool {
    let context = closure[(closure.end(ofLast: " in ") ?? closure.startIndex)...]
    let owner = captured.text.prefix(before: "<") + "."
    let function = context.hasPrefix("static ") ? context.dropFirst("static ".count) : context
    guard function.hasPrefix(owner) else { return false }
    return isMember(function.dropFirst(owner.count))
  }

  /// Whether a function is a member: `load(completion:)` and `format.getter` are, `Request.start()` is one of
  /// a nested type.
  private static func isMember(_ name: Substring) -> Bool {
    let components = name.prefix(before: "(").components
    return components.count == 1
      || (components.count == 2 && (accessors.contains(components[1]) || components[1] == "init"))
  }

  /// The last parts of the names of a property's functions.
  static let accessors: Set<Substring> = ["getter", "setter", "modify", "read", "willset", "didset"]
}

extension TypeName {
  /// `Demo.Box<Demo.Item>` is `Box<Demo.Item>`.
  var moduleless: String {
    guard let module, text.hasPrefix("\(module).") else { return text }
    return String(text.dropFirst(module.count + 1))
  }
}
