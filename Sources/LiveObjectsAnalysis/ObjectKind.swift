import LiveObjectsCapture

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
  case error
  case rawBuffer = "raw buffer"
  case task
  case other
}

extension ObjectKind {
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

  /// The standard library's classes behind values. Its empty singletons are never allocated.
  private static let storages: [Substring: ObjectKind] = [
    "Swift._ContiguousArrayStorage": .arrayStorage,
    "Swift.ManagedBuffer": .arrayStorage,
    "Swift._DictionaryStorage": .dictionaryStorage,
    "Swift._SetStorage": .setStorage,
    "Swift.__StringStorage": .stringStorage,
    "Swift.__SharedStringStorage": .stringStorage,
  ]

  private static func genericBase(of name: String) -> Substring {
    name.prefix { $0 != "<" }
  }
}
