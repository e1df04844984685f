import LiveObjectsCapture

/// The name of a type in a report, and whether the type is the program's own.
struct TypeLabel: Hashable {
  var text: String
  var kind: ObjectKind
  /// Whether the type belongs to the program, not to the Swift toolchain or the system.
  var isUserDefined: Bool

  /// Names a type that needs no stack trace. `nil` for closure contexts and boxes that may be
  /// the program's: they are named after the function that allocated them.
  init?(_ type: TypeDescription, of capture: Capture) {
    kind = ObjectKind(of: type)
    let name = TypeName(type.name)
    let isSystem = type.image.map { capture.images[$0].isSystem } ?? false
    switch type.kind {
    case .rawBuffer: (text, isUserDefined) = (kind.rawValue, false)
    case .closureContextOrBox where isSystem: (text, isUserDefined) = (Self.unattributed, false)
    case .closureContextOrBox: return nil
    case .genericBox: (text, isUserDefined) = ("box of \(name.text)", name.isUserDefined)
    case _ where capture.isUnreadable(type):
      (text, isUserDefined) = ("unreadable type", !isSystem)
    case _ where name.text.isEmpty: (text, isUserDefined) = ("unnamed \(kind.rawValue)", false)
    default: (text, isUserDefined) = (name.text, name.isUserDefined)
    }
  }

  /// Names a closure context or box by the trace that allocated it. Its metadata distinguishes the
  /// toolchain's from the program's only where the two lie in different images; the allocating function
  /// always does. Objects that asynchronous programs allocate to start their main task are not the program's.
  init(_ type: TypeDescription, of capture: Capture, _ stackTrace: UInt32, _ traces: NamedTraces) {
    let stackTrace = traces.identifying(stackTrace)
    kind = ObjectKind(of: type)
    let allocator = traces.allocator(of: stackTrace)
    let function = traces.fromCallSite(stackTrace).first.map { traces.frames[$0].qualifiedFunction }
    let startsMainTask = kind == .closureOrBox && allocator?.isBareMain == true
    isUserDefined = (allocator?.isUserCode ?? true) && !startsMainTask
    let place = function ?? type.image.map { capture.images[$0].name }
    guard isUserDefined, let place else {
      text = Self.unattributed
      return
    }
    text = "\(kind.rawValue) in \(place)"
  }

  /// Names a closure by its function.
  init(closure: SourceFrame) {
    (text, kind, isUserDefined) = (closure.qualifiedFunction, .closure, closure.isUserCode)
  }

  /// Names a task by its function.
  init(task function: String) {
    (text, kind, isUserDefined) = (function, .task, true)
  }

  /// Whether it is a reabstraction thunk, between a closure and its callers.
  var isThunk: Bool { kind == .closure && text.hasPrefix("reabstraction thunk") }

  static let unattributed = "closure context or box"
}

/// The name of a type as the runtime spells it, made readable and comparable.
package struct TypeName {
  /// The name without the parts that change from run to run.
  package let text: String

  package init(_ runtimeName: String) {
    text = Self.withoutPacks(Self.withoutPrivateContexts(runtimeName))
  }

  /// The type is nominal and comes from a module outside the toolchain.
  var isUserDefined: Bool {
    guard let module else { return false }
    return !SystemModules.contains(module)
  }

  /// The module of a nominal type; `nil` for tuples, functions and the like.
  ///
  /// A type nested in an extension belongs to the extension's module:
  /// `(extension in Demo):Swift.Array<Swift.Int>.Cache`.
  var module: Substring? {
    let start = "(extension in "
    if text.hasPrefix(start) { return text.dropFirst(start.count).prefix { $0 != ")" } }
    let module = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let isFollowedByName = text[module.endIndex...].first == "."
    return module.isEmpty || !isFollowedByName ? nil : module
  }

  /// The runtime puts the arguments of a parameter pack in `Pack{…}`, which is no Swift.
  private static func withoutPacks(_ name: String) -> String {
    guard name.holds("Pack{") else { return name }
    return name.replacing("Pack{", with: "").replacing("}", with: "").replacing(", >", with: ">")
      .replacing("<, ", with: "<")
  }

  /// The runtime names a private or local type by the address of its context, which is another in
  /// every run: `Demo.(unknown context at $55d0c8e08540).Cache` is `Demo.Cache` here.
  private static func withoutPrivateContexts(_ name: String) -> String {
    guard name.holds("(unknown context at ") else { return name }
    let parts = name.split(separator: "(unknown context at ", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
      text += part.drop { $0 != "." }.dropFirst()
    }
  }
}

/// The kind of an object, in human-readable form.
public enum ObjectKind: String, Sendable, CaseIterable {
  case classInstance = "class"
  case actor
  case closure
  case box
  /// The compiler emits the context of a closure with one capture and the box of a captured variable alike.
  case closureOrBox = "closure or box"
  case arrayStorage = "array storage"
  case dictionaryStorage = "dictionary storage"
  case setStorage = "set storage"
  case stringStorage = "string storage"
  case dataStorage = "data storage"
  case error
  case rawBuffer = "raw buffer"
  case task
  case other
}

extension ObjectKind {
  var isInstance: Bool { self == .classInstance || self == .actor }

  init(of type: TypeDescription) {
    switch type.kind {
    case .classInstance: self = Self.storages[Self.genericBase(of: type.name)] ?? .classInstance
    case .closureContextOrBox: self = type.captureCount == 1 ? .closureOrBox : .closure
    case .genericBox: self = .box
    case .errorBox: self = .error
    case .rawBuffer: self = .rawBuffer
    case .other: self = .other
    case .task: self = .task
    }
  }

  /// The toolchain's classes behind values. Their empty singletons are never allocated.
  private static let storages: [Substring: ObjectKind] = [
    "Swift._ContiguousArrayStorage": .arrayStorage,
    "Swift.ManagedBuffer": .arrayStorage,
    "Swift._DictionaryStorage": .dictionaryStorage,
    "Swift._SetStorage": .setStorage,
    "Swift.__StringStorage": .stringStorage,
    "Swift.__SharedStringStorage": .stringStorage,
    "Foundation.__DataStorage": .dataStorage,
    "FoundationEssentials.__DataStorage": .dataStorage,
  ]

  private static func genericBase(of name: String) -> Substring {
    name.prefix(before: "<")
  }
}

/// Types whose metadata could not be read: its library was unloaded, or it was overwritten.
extension Capture {
  /// The objects without a readable type; few, if any.
  package var objectsOfUnreadableTypes: [LiveObject] {
    let areUnreadable = types.map(isUnreadable)
    return areUnreadable.contains(true) ? objects.filter { areUnreadable[$0.type] } : []
  }

  func isUnreadable(_ type: TypeDescription) -> Bool {
    type.kind == .other && type.name.isEmpty
  }
}
