import LiveObjectsCapture

/// What a report calls the objects of a type, and whose they are.
struct TypeLabel: Hashable {
  var text: String
  var kind: ObjectKind
  /// The type belongs to the program, not to the Swift toolchain or the system.
  var isUsers: Bool

  /// A type that needs no stack trace to be named. `nil` for closure contexts and boxes that may be
  /// the program's: they are called after the function that allocated them.
  ///
  /// - Parameter unreadable: what a type without a name is called where its image does not tell.
  init?(_ type: TypeDescription, of capture: Capture, unreadable: String) {
    kind = ObjectKind(of: type)
    let name = TypeName(type.name)
    let isSystem = type.image.map { capture.images[$0].isSystem } ?? false
    switch type.kind {
    case .rawBuffer: (text, isUsers) = (kind.rawValue, false)
    case .closureContextOrBox where isSystem: (text, isUsers) = (Self.unattributed, false)
    case .closureContextOrBox: return nil
    case .genericBox: (text, isUsers) = ("box of \(name.text)", name.isUsers)
    case _ where capture.isUnreadable(type):
      (text, isUsers) = (capture.unreadableName(of: type, else: unreadable), !isSystem)
    case _ where name.text.isEmpty: (text, isUsers) = ("unnamed \(kind.rawValue)", false)
    default: (text, isUsers) = (name.text, name.isUsers)
    }
  }

  /// A closure context or box, by the trace that allocated it. Its metadata tells the toolchain's
  /// from the program's only where the two lie in different images; the allocating function always does.
  /// What asynchronous programs allocate to start their main task is not the program's.
  ///
  /// - Parameters:
  ///   - allocator: the frame that asked the runtime for the object.
  ///   - function: the program's function that it happened in.
  init(_ type: TypeDescription, of capture: Capture, allocator: SourceFrame?, function: String?) {
    kind = ObjectKind(of: type)
    let startsMainTask = kind == .closureOrBox && allocator?.isBareMain == true
    isUsers = (allocator?.isUsers ?? true) && !startsMainTask
    let place = function ?? type.image.map { capture.images[$0].name }
    guard isUsers, let place else {
      text = Self.unattributed
      return
    }
    text = "\(kind.rawValue) in \(place)"
  }

  /// A closure context or box, by the id of the trace that allocated it.
  init(_ type: TypeDescription, of capture: Capture, _ stackTrace: UInt32, _ traces: NamedTraces) {
    self.init(
      type, of: capture, allocator: traces.allocator(of: stackTrace),
      function: traces.fromCallSite(stackTrace).first.map { traces.frames[$0].qualifiedFunction })
  }

  /// A closure, by its function.
  init(closure: SourceFrame) {
    (text, kind, isUsers) = (closure.qualifiedFunction, .closure, closure.isUsers)
  }

  /// What the compiler put between a closure and its callers.
  var isThunk: Bool { kind == .closure && text.hasPrefix("reabstraction thunk") }

  private static let unattributed = "closure context or box"
}
