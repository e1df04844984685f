import LiveObjectsCapture

/// A reason why a claim about unreachable objects may be wrong.
enum Doubt: Sendable, Hashable, CaseIterable {
  /// Words that may be pointers account for retains.
  case conservativeReferences
  /// The claim is that nothing holds the object, or resumes the task, and a search may miss what does: an address kept
  /// as a number, or as an offset.
  case search
  /// More references than retains were found.
  case contradiction
  /// The registers of another thread were not read.
  case registers
  /// Memory outside of the heap was not read.
  case memory
  /// The stack of another thread was not read.
  case stack
  /// An object was not read.
  case unreadObject
  /// A word on a stack or in memory of C code leads to what can resume the task. It may be old.
  case oldWord

  /// Everything that the capture has left out, and that may refute a claim.
  static func all(on status: HeapGraph.Status) -> Set<Doubt> {
    var doubts: Set<Doubt> = []
    if !status.hasAllRegisters { doubts.insert(.registers) }
    if status.missesRoots { doubts.insert(.memory) }
    if status.missesStacks { doubts.insert(.stack) }
    if status.unreadObjects > 0 { doubts.insert(.unreadObject) }
    return doubts
  }

  /// What a report says; `nil` for what the path shows, or the finding says itself.
  var remark: String? {
    switch self {
    case .conservativeReferences, .search, .contradiction: nil
    case .registers: "The registers of other threads could not be read: one of them may hold the object."
    case .memory: "Some memory outside of the heap could not be read: it may hold the object."
    case .stack: "The stack of another thread could not be read: it may hold the object."
    case .unreadObject: "Some objects could not be read: one of them may hold the object."
    case .oldWord:
      "A word on a stack or in memory of C code leads to what can resume the task. If it is old, nothing resumes it."
    }
  }

  /// Whether nothing can be claimed. What is left is the same in each run on the same system, so that a claim is the
  /// same too.
  fileprivate var prevents: Bool {
    switch self {
    case .conservativeReferences, .search, .contradiction, .registers, .memory: false
    case .stack, .unreadObject, .oldWord: true
    }
  }
}

extension Finding.Certainty {
  /// The certainty of a claim about unreachable objects: the only place where it is decided.
  init(_ doubts: Set<Doubt>) {
    self = doubts.isEmpty ? .definite : doubts.contains(where: \.prevents) ? .undecided : .probable
  }
}
