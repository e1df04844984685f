import LiveObjectsCapture

/// The name of a type in a report, and whether the type is the program's own.
struct TypeLabel: Hashable {
  var text: String
  var kind: ObjectKind
  /// Whether the type belongs to the program, not to the Swift toolchain or the system.
  var isUserDefined: Bool

  /// Names a type that needs no stack trace. `nil` for closure contexts and boxes that may be
  /// the program's: they are named after the function that allocated them.
  ///
  /// - Parameter unreadable: the name for types without one whose image is unknown.
  init?(_ type: TypeDescription, of capture: Capture, unreadable: String) {
    kind = ObjectKind(of: type)
    let name = TypeName(type.name)
    let isSystem = type.image.map { capture.images[$0].isSystem } ?? false
    switch type.kind {
    case .rawBuffer: (text, isUserDefined) = (kind.rawValue, false)
    case .closureContextOrBox where isSystem: (text, isUserDefined) = (Self.unattributed, false)
    case .closureContextOrBox: return nil
    case .genericBox: (text, isUserDefined) = ("box of \(name.text)", name.isUserDefined)
    case _ where capture.isUnreadable(type):
      (text, isUserDefined) = (capture.unreadableName(of: type, else: unreadable), !isSystem)
    case _ where name.text.isEmpty: (text, isUserDefined) = ("unnamed \(kind.rawValue)", false)
    default: (text, isUserDefined) = (name.text, name.isUserDefined)
    }
  }

  /// Names a closure context or box by the trace that allocated it. Its metadata distinguishes the
  /// toolchain's from the program's only where the two lie in different images; the allocating function
  /// always does. Objects that asynchronous programs allocate to start their main task are not the program's.
  ///
  /// - Parameters:
  ///   - allocator: the frame that requested the object from the runtime.
  ///   - function: the program's function that it happened in.
  init(_ type: TypeDescription, of capture: Capture, allocator: SourceFrame?, function: String?) {
    kind = ObjectKind(of: type)
    let startsMainTask = kind == .closureOrBox && allocator?.isBareMain == true
    isUserDefined = (allocator?.isUserCode ?? true) && !startsMainTask
    let place = function ?? type.image.map { capture.images[$0].name }
    guard isUserDefined, let place else {
      text = Self.unattributed
      return
    }
    text = "\(kind.rawValue) in \(place)"
  }

  /// Names a closure context or box by the id of the trace that allocated it.
  init(_ type: TypeDescription, of capture: Capture, _ stackTrace: UInt32, _ traces: NamedTraces) {
    self.init(
      type, of: capture, allocator: traces.allocator(of: stackTrace),
      function: traces.fromCallSite(stackTrace).first.map { traces.frames[$0].qualifiedFunction })
  }

  /// Names a closure by its function.
  init(closure: SourceFrame) {
    (text, kind, isUserDefined) = (closure.qualifiedFunction, .closure, closure.isUserCode)
  }

  /// Whether it is a reabstraction thunk, between a closure and its callers.
  var isThunk: Bool { kind == .closure && text.hasPrefix("reabstraction thunk") }

  private static let unattributed = "closure context or box"
}
