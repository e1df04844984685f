internal import LiveObjectsSystem

/// A thread for work of our own that takes long: Swift has only as many threads for tasks as there are processors,
/// and they are the program's.
package enum OwnThread {
  /// Runs work without recording what it allocates. The calling task is suspended meanwhile.
  ///
  /// - Parameter isolation: the caller's actor, so that the call needs none of Swift's threads.
  package static func run<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withUnsafeContinuation { continuation in
      Recorder.ignoring {
        start {
          let value = Recorder.ignoring(work)
          return { continuation.resume(returning: value) }
        }
      }
    }
  }

  /// - Parameter work: returns what resumes the caller. It is released before: it may own a scope, which ends with it.
  private static func start(_ work: @escaping @Sendable () -> @Sendable () -> Void) {
    let argument = Unmanaged.passRetained(Work(run: work)).toOpaque()
    #if canImport(Glibc)
      var thread = pthread_t()
      let error = pthread_create(&thread, nil, { Work.main($0!) }, argument)
      if error == 0 { pthread_detach(thread) }
    #else
      var thread: pthread_t?
      let error = pthread_create(&thread, nil, { Work.main($0) }, argument)
      if let thread, error == 0 { pthread_detach(thread) }
    #endif
    // Rather late than never, where no thread can be had.
    if error != 0 { _ = Work.main(argument) }
  }

  /// One at a time: the program's threads share the processors with one of ours at most.
  private static let turn = Recorder.ignoring { Locked(()) }

  private final class Work: Sendable {
    private let run: @Sendable () -> @Sendable () -> Void

    init(run: @escaping @Sendable () -> @Sendable () -> Void) {
      self.run = run
    }

    static func main(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      result(of: argument)()
      return nil
    }

    private static func result(of argument: UnsafeMutableRawPointer) -> @Sendable () -> Void {
      let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
      return turn.withLock { _ in work.run() }
    }
  }
}
