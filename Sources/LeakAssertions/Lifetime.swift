internal import LiveObjects

/// Waits for the deallocation of objects.
package enum Lifetime {
  /// Checks at once, and again at growing intervals, until all objects are gone or the time is up.
  ///
  /// - Parameter pausing: waits, while other work goes on that may release the objects.
  /// - Returns: the objects that are still alive.
  package static func survivors(
    of objects: [WatchedObject], within time: Duration, pausing: (Duration) -> Void
  ) -> [WatchedObject] {
    var settling = Settling(limit: time, quiet: time)
    while true {
      let (alive, pause) = Recorder.ignoring { check(objects, &settling) }
      guard let pause else { return alive }
      pausing(pause)
    }
  }

  /// The asynchronous form.
  package static func survivors(
    of objects: [WatchedObject], within time: Duration, isolation: isolated (any Actor)?
  ) async -> [WatchedObject] {
    var settling = Settling(limit: time, quiet: time)
    while true {
      let (alive, pause) = Recorder.ignoring { check(objects, &settling) }
      guard let pause else { return alive }
      await pause.sleep(isolation: isolation)
    }
  }

  private static func check(
    _ objects: [WatchedObject], _ settling: inout Settling
  ) -> (alive: [WatchedObject], pause: Duration?) {
    let alive = objects.filter(\.isAlive)
    return (alive, settling.pause(after: alive.map(\.identity)))
  }
}
