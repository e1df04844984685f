/// A client that keeps what it was asked, as spies in tests do.
public final class ClientSpy {
  public var completions: [(Int) -> Void] = []
  public init() {}

  public func get(_ completion: @escaping (Int) -> Void) { completions.append(completion) }
}

public final class Loader {
  private let client: ClientSpy
  private(set) var value = 0

  public init(client: ClientSpy) { self.client = client }

  /// Leaks: the client keeps a closure that keeps the loader, which keeps the client.
  public func load() {
    client.get { self.value = $0 }
  }

  public func loadMended() {
    client.get { [weak self] in self?.value = $0 }
  }
}
