internal import LiveObjectsCapture

/// The open diffs of this process, and the attribution of objects to them.
///
/// Every diff binds a scope id of its own around its body, as a task-local value that the recorder stores
/// with each object. It goes wherever a task-local value goes: into child tasks, `Task { }` and actors. The
/// recorder takes it into `Task.detached` as well; dispatch queues and threads do not have it.
final class Scopes: Sendable {
  /// The innermost open diff around the running code; 0 for none.
  @TaskLocal static var current: UInt32 = 0

  static let shared = Scopes()

  /// The scope of the pauses of measurements: their objects are unattributed.
  let pauses: UInt32

  private let table = Locked(ScopeTable())

  private init() {
    pauses = Recorder.makeScope()
    Recorder.setScopeKey(Self.$current)
  }

  /// Opens a scope inside the current one.
  func open() -> UInt32 {
    let id = Recorder.makeScope()
    let parent = Self.current
    table.withLock { $0.open(id, inside: parent) }
    return id
  }

  func close(_ id: UInt32) {
    table.withLock { $0.close(id) }
  }

  /// The attribution of an open scope: its own objects, or all objects where there is no other measurement.
  func attribution(of id: UInt32) -> Attribution {
    let scope = table.withLock { $0[id] }
    let isAlone = !scope.ranBesideAnother && !Recorder.runsSwiftTesting
    return Attribution(scopes: isAlone ? nil : scope.members, pauses: pauses)
  }
}

// MARK: - Work in a scope

extension Scopes {
  static func within<Value, Failure: Error>(
    _ scope: UInt32, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = $current.withValue(scope) {
      () -> Result<Value, Failure> in
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  static func within<Value, Failure: Error>(
    _ scope: UInt32, isolation: isolated (any Actor)?, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    do {
      // Passed on as it is: a closure round the body would not run on the caller's actor.
      return try await $current.withValue(scope, operation: body, isolation: isolation)
    } catch {
      throw error as! Failure  // Only the body throws.
    }
  }
}

/// The open scopes by id, and those closed inside an open one: a task that one of them started may still open scopes.
struct ScopeTable {
  struct Scope {
    var parent: UInt32
    /// The scope itself and those opened inside it, also when they are closed again.
    var members: Set<UInt32>
    /// Another scope, neither around nor inside this one, was open at the same time.
    var ranBesideAnother = false
  }

  private var scopes: [UInt32: Scope] = [:]
  private var openIDs: Set<UInt32> = []

  subscript(id: UInt32) -> Scope {
    openIDs.contains(id) ? scopes[id]! : Scope(parent: 0, members: [id], ranBesideAnother: true)
  }

  mutating func open(_ id: UInt32, inside parent: UInt32) {
    var scope = Scope(parent: parent, members: [id])
    let ancestors = enter(id, into: parent)
    for other in openIDs where !ancestors.contains(other) {
      scopes[other]?.ranBesideAnother = true
      scope.ranBesideAnother = true
    }
    scopes[id] = scope
    openIDs.insert(id)
  }

  mutating func close(_ id: UInt32) {
    openIDs.remove(id)
    scopes[id]?.members = []
    guard !isInsideOpenScope(id) else { return }
    scopes = scopes.filter { openIDs.contains($0.key) || isInsideOpenScope($0.key) }
  }

  private func isInsideOpenScope(_ id: UInt32) -> Bool {
    var ancestor = scopes[id]?.parent ?? 0
    while let scope = scopes[ancestor] {
      if openIDs.contains(ancestor) { return true }
      ancestor = scope.parent
    }
    return false
  }

  /// Makes a new scope a member of all those around it, and returns these.
  private mutating func enter(_ id: UInt32, into parent: UInt32) -> Set<UInt32> {
    var ancestors: Set<UInt32> = []
    var ancestor = parent
    while let scope = scopes[ancestor] {
      if openIDs.contains(ancestor) { scopes[ancestor]?.members.insert(id) }
      ancestors.insert(ancestor)
      ancestor = scope.parent
    }
    return ancestors
  }
}

/// The objects that a diff counts as its own.
struct Attribution {
  /// The scopes that count; `nil` for all objects of the process.
  var scopes: Set<UInt32>?
  /// The scope of the measurement's own pauses, which never counts.
  var pauses: UInt32

  func owns(_ object: LiveObject) -> Bool {
    guard object.scope != pauses else { return false }
    return scopes?.contains(object.scope) ?? true
  }

  /// Whether the object has no scope, while only some scopes count.
  func isUndecided(_ object: LiveObject) -> Bool {
    scopes != nil && object.scope == 0
  }
}

/// A scope for the objects of one piece of work without a measurement; an enclosing measurement owns them
/// too.
package final class WorkScope: Sendable {
  /// The number of the scope in the recorder.
  package let id: UInt32

  package init() {
    id = Recorder.ignoring { Scopes.shared.open() }
  }

  deinit {
    Recorder.ignoring { Scopes.shared.close(id) }
  }

  package func run<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
    try Scopes.within(id, work)
  }
}

extension LiveObjects {
  /// Runs work on the caller's actor, in a scope or in the current one.
  ///
  /// Swift 6.0 lets no function on an actor call work that returns a value which is not `Sendable`. The
  /// standard library's functions may.
  package static func run<Value, Failure: Error>(
    in scope: WorkScope? = nil, isolation: isolated (any Actor)?, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await Scopes.within(scope?.id ?? Scopes.current, isolation: isolation, work)
  }
}
