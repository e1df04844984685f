import Dispatch

public final class Connection: Sendable {}

/// Opens connections on a queue of its own, and keeps them.
public enum Hub {
  private static let queue = DispatchQueue(label: "hub")
  nonisolated(unsafe) private static var connections: [Connection] = []

  public static func open(_ count: Int) {
    let isOpen = DispatchSemaphore(value: 0)
    queue.async {
      for _ in 0..<count { connections.append(Connection()) }
      isOpen.signal()
    }
    isOpen.wait()
  }
}
