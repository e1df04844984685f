/// Holds itself through its handler.
public final class Leaky {
  private var handler: (() -> Void)?

  public init() {}

  public func start() {
    handler = { self.stop() }
  }

  public func stop() { handler = nil }
}

/// Leaves nothing behind.
public final class Tidy {
  public init() {}
}
