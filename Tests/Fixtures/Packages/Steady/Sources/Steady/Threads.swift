import Foundation

/// Threads that stay for the whole run.
public enum Threads {
  /// Something that a thread uses once in a while: no leak.
  private final class Counter: @unchecked Sendable { var count = 0 }

  public static func start() {
    start { sleep(1000) }
    let pipe = Pipe()
    start { _ = try? pipe.fileHandleForReading.read(upToCount: 1) }
    let semaphore = DispatchSemaphore(value: 0)
    start { semaphore.wait() }
    let counter = Counter()
    start {
      while true {
        usleep(1000)
        counter.count += 1
      }
    }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) {
    Thread { body() }.start()
  }
}
