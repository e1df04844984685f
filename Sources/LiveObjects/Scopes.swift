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

/// The open scopes by id.
struct ScopeTable {
  struct Scope {
    var parent: UInt32
    /// The scope itself and those opened inside it, also when they are closed again.
    var members: Set<UInt32>
    /// Another scope, neither around nor inside this one, was open at the same time.
    var ranBesideAnother = false
  }

  private var scopes: [UInt32: Scope] = [:]

  subscript(id: UInt32) -> Scope {
    scopes[id] ?? Scope(parent: 0, members: [id], ranBesideAnother: true)
  }

  mutating func open(_ id: UInt32, inside parent: UInt32) {
    var scope = Scope(parent: parent, members: [id])
    let ancestors = enter(id, into: parent)
    for other in scopes.keys where !ancestors.contains(other) {
      scopes[other]?.ranBesideAnother = true
      scope.ranBesideAnother = true
    }
    scopes[id] = scope
  }

  mutating func close(_ id: UInt32) {
    scopes[id] = nil
  }

  /// Makes a new scope a member of all those around it, and returns these.
  private mutating func enter(_ id: UInt32, into parent: UInt32) -> Set<UInt32> {
    var ancestors: Set<UInt32> = []
    var ancestor = parent
    while let scope = scopes[ancestor] {
      scopes[ancestor]?.members.insert(id)
      ancestors.insert(ancestor)
      ancestor = scope.parent
    }
    return ancestors
  }
}
