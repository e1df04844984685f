/// A thread that runs a closure to its end. It must be joined.
public struct PosixThread {
  #if canImport(Darwin)
    private var handle: pthread_t?
  #else
    private var handle = pthread_t()
  #endif

  public init(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(run: body)).toOpaque()
    #if canImport(Darwin)
      let error = pthread_create(&handle, nil, { runBody($0) }, context)
    #else
      let error = pthread_create(&handle, nil, { runBody($0!) }, context)
    #endif
    precondition(error == 0, "pthread_create: \(error)")
  }

  public func join() {
    #if canImport(Darwin)
      pthread_join(handle!, nil)
    #else
      pthread_join(handle, nil)
    #endif
  }
}

private final class Body {
  let run: @Sendable () -> Void
  init(run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
