internal import LiveObjects

/// Waits for objects that shall go.
package enum Lifetime {
  /// Looks at once, and again at growing intervals, until all objects are gone or the time is up.
  ///
  /// - Parameter pausing: waits, and lets go on what may release the objects.
  /// - Returns: the objects that are still alive.
  package static func survivors(
    of objects: [WatchedObject], within time: Duration, pausing: (Duration) -> Void
  ) -> [WatchedObject] {
    var settling = Settling(limit: time, quiet: time)
    while true {
      let (alive, pause) = Recorder.ignoring { look(at: objects, &settling) }
      guard let pause else { return alive }
      pausing(pause)
    }
  }

  /// The same, suspended.
  package static func survivors(
    of objects: [WatchedObject], within time: Duration, isolation: isolated (any Actor)?
  ) async -> [WatchedObject] {
    var settling = Settling(limit: time, quiet: time)
    while true {
      let (alive, pause) = Recorder.ignoring { look(at: objects, &settling) }
      guard let pause else { return alive }
      await pause.sleep(isolation: isolation)
    }
  }

  private static func look(
    at objects: [WatchedObject], _ settling: inout Settling
  ) -> (alive: [WatchedObject], pause: Duration?) {
    let alive = objects.filter(\.isAlive)
    return (alive, settling.pause(after: alive.map(\.identity)))
  }
}
