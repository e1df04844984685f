import Foundation

/// Does work that mostly waits at the same time, each in a thread of its own.
///
/// - Returns: the results in the order of the elements.
/// - Throws: the error of the first element that has one.
public func concurrently<Element: Sendable, Value: Sendable>(
  _ elements: [Element], _ body: @escaping @Sendable (Element) throws -> Value
) throws -> [Value] {
  let results = Results<Value>(count: elements.count)
  let group = DispatchGroup()
  for (index, element) in elements.enumerated() {
    group.enter()
    Thread.detachNewThread {
      results.set(Result { try body(element) }, at: index)
      group.leave()
    }
  }
  group.wait()
  return try results.all.map { try $0.get() }
}

/// Sendable because a lock guards the results.
private final class Results<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Result<Value, any Error>?]

  init(count: Int) { results = Array(repeating: nil, count: count) }

  func set(_ result: Result<Value, any Error>, at index: Int) { lock.withLock { results[index] = result } }

  /// All of them are set.
  var all: [Result<Value, any Error>] { lock.withLock { results.compactMap { $0 } } }
}
