/// Waits in a task that nothing but this object could resume, which the task holds.
public actor Waiter {
  private var continuation: CheckedContinuation<Void, Never>?

  /// Leaves one behind that waits.
  public static func leave() async {
    let waiter = Waiter()
    Task { await waiter.wait() }
    while await waiter.continuation == nil { await Task.yield() }
  }

  private func wait() async {
    await withCheckedContinuation { continuation = $0 }
  }
}
