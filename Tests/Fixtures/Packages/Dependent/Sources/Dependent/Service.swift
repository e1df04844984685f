import Wire

public final class Session: Sendable {}

/// A singleton that keeps what the program gives it.
public final class Service {
  nonisolated(unsafe) public static let shared = Service()
  public var sessions: [Session] = []
  public var connections: [Connection] = []

  public func start() { Hub.open(3) }
}
