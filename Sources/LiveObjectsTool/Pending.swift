import Dispatch

/// A value that another thread works out while the caller goes on.
final class Pending<Value: Sendable>: @unchecked Sendable {
  private let group = DispatchGroup()
  /// Written before the group is left, read after that.
  private var result: Value?

  init(_ work: @escaping @Sendable () -> Value) {
    DispatchQueue.global().async(group: group) { self.result = work() }
  }

  /// Waits for it.
  var value: Value {
    group.wait()
    return result!
  }
}
