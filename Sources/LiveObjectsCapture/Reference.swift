/// A reference from one object to another.
///
/// The fields are as narrow as in a capture: a large heap has tens of millions.
public struct Reference: Sendable, Hashable {
  /// Index into `Capture.objects` of the object that refers.
  public var source: UInt32
  /// Index into `Capture.objects` of the object referred to.
  public var target: UInt32
  /// Index into `HeapGraph.labels`.
  public var label: UInt32
  private var elementWord: UInt32
  private var functionWord: UInt32

  /// Index in an array, or bucket of a dictionary or set.
  public var element: UInt32? { elementWord == .max ? nil : elementWord }

  /// Index into `HeapGraph.functions`: the code of the closure whose context is referred to.
  public var function: UInt32? { functionWord == .max ? nil : functionWord }

  public init(
    from source: UInt32, to target: UInt32, label: UInt32, element: UInt32? = nil,
    function: UInt32? = nil
  ) {
    self.source = source
    self.target = target
    self.label = label
    elementWord = element ?? .max
    functionWord = function ?? .max
  }
}

extension Reference {
  static let recordSize = 20

  /// A reference as it stands in a capture, where labels and functions are counted from 1: a label
  /// of 0, which is none, turns into one that no graph holds.
  ///
  /// - Precondition: `recordSize` bytes from `offset` on lie in `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    source = bytes.littleEndian(UInt32.self, at: offset)
    target = bytes.littleEndian(UInt32.self, at: offset + 4)
    label = bytes.littleEndian(UInt32.self, at: offset + 8) &- 1
    elementWord = bytes.littleEndian(UInt32.self, at: offset + 12)
    functionWord = bytes.littleEndian(UInt32.self, at: offset + 16) &- 1
  }
}

/// The place of a reference: the property, element or capture, and its ownership.
public struct ReferenceLabel: Sendable, Hashable {
  public enum Kind: UInt32, Sendable {
    case property = 1
    case element, key, value, member, capture
    /// The content of a box, an error or an indirect enum case.
    case content
    /// A word of memory with unknown types.
    case memory
    case taskClosure, taskFrame, taskResult, taskLocal
    /// From a task to the one that continues when it has ended.
    case waitingTask
    /// From a task to one that is cancelled with it.
    case taskChild
    /// A stored property that is declared as an object or an optional one, so that it can be declared weak.
    case objectProperty = 15
    /// Of a root: the name of the object that calls the handler.
    case handler = 16
    /// A word in the frame of a function of the concurrency runtime, like `Task.sleep`, in which a task is suspended.
    case runtimeFrame = 17
  }
  public enum Ownership: UInt32, Sendable {
    case strong = 1
    case weak, unowned, unmanaged
    /// A word that may be a pointer to an object.
    case conservative
  }
  public var kind: Kind
  public var ownership: Ownership
  /// A property's path (`outer.inner.ref`), the path inside an element or box, or a captured type's name
  /// (followed by a tab and the path, where the reference lies inside of a captured value).
  public var text: String
  /// Of a stored property that holds one object, or a value of a protocol; `nil` for other places.
  public var declaration: Declaration?

  /// The declaration of a stored property.
  public struct Declaration: Sendable, Hashable {
    /// The type that declares it, module-qualified and without generic arguments.
    public var type: String
    /// Its protocol, if that is not limited to classes.
    public var openProtocol: String?
    /// Whether it is declared by `let`.
    public var isConstant: Bool

    public init(type: String, openProtocol: String? = nil, isConstant: Bool = false) {
      (self.type, self.openProtocol, self.isConstant) = (type, openProtocol, isConstant)
    }
  }

  /// The name of the property at the end of the path.
  package var property: String { text.split(separator: ".").last.map(String.init) ?? text }

  public init(_ kind: Kind, ownership: Ownership = .strong, text: String = "") {
    self.kind = kind
    self.ownership = ownership
    self.text = text
  }
}

/// A conservative reference to an object from outside of the heap.
public struct Root: Sendable, Hashable {
  public enum Place: Sendable, Hashable {
    /// A global or static variable; the frame is its address.
    case global(Frame)
    case stack(thread: UInt64)
    case threadLocal(thread: UInt64)
    /// Memory that belongs to C code, or was freed by it.
    case cMemory(address: UInt64)
    /// What a library will call, such as a block on a dispatch queue: its code, and the index into
    /// `HeapGraph.labels` of the name of the library's object, as far as they are known.
    case handler(Frame?, of: UInt32?)
  }
  public var place: Place
  /// Index into `Capture.objects`.
  public var target: UInt32
  /// Whether it is a word of C memory that cannot be old: that of a job, which resumes a task that sleeps.
  public var isInUse: Bool
  /// Whether the word is not the object's address: it leads into the object, or has a tag.
  public var isDisguised: Bool

  public init(_ place: Place, target: UInt32, isInUse: Bool = false, isDisguised: Bool = false) {
    self.place = place
    self.target = target
    self.isInUse = isInUse
    self.isDisguised = isDisguised
  }

  /// Whether the word may be left from an earlier use of its memory.
  package var mayBeOld: Bool {
    switch place {
    case .stack, .cMemory: !isInUse
    case .global, .threadLocal, .handler: false
    }
  }
}
