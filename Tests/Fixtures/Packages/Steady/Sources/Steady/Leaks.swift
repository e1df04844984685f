import Foundation

/// Two objects that hold each other.
public final class Parent: @unchecked Sendable {
  public var child: Child?
  public init() {}

  public static func makeCycle() {
    let parent = Parent()
    parent.child = Child(parent)
  }
}

public final class Child {
  let parent: Parent
  init(_ parent: Parent) { self.parent = parent }
}

/// An object with a retain that nothing balances.
public final class Ticket: @unchecked Sendable {
  public var number = 1
  public init() {}

  @inline(never) public static func overRetain() {
    _ = Unmanaged.passRetained(Ticket())
  }
}

/// Keeps a continuation that only its own task could reach.
public final class Gate: @unchecked Sendable {
  private let lock = NSLock()
  private var waiting: CheckedContinuation<Void, Never>?
  public init() {}

  public var isWaiting: Bool { lock.withLock { waiting != nil } }

  public func pass() async {
    await withCheckedContinuation { continuation in lock.withLock { waiting = continuation } }
  }

  public func open() { lock.withLock { waiting.take() }?.resume() }

  /// Starts a task that waits at a gate that nothing opens, and returns once it waits.
  public static func block() async {
    let gate = Gate()
    Task { await gate.pass() }
    while !gate.isWaiting { await Task.yield() }
  }
}

/// Reads a stream that nothing finishes.
public final class Reader: @unchecked Sendable {
  private var continuation: AsyncStream<Int>.Continuation?
  public private(set) var read = 0
  public init() {}

  public static func waitForEver() async {
    let reader = Reader()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    reader.continuation = continuation
    Task { for await _ in stream { reader.read += 1 } }
    continuation.yield(1)
    while reader.read == 0 { await Task.yield() }
  }
}

/// Objects that a static variable holds.
public final class Registry: @unchecked Sendable {
  public static let shared = Registry()
  private let lock = NSLock()
  private var entries: [Entry] = []

  public final class Entry { init() {} }

  public func add() { lock.withLock { entries.append(Entry()) } }
}
