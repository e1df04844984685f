/// A client that stores its requests, as spies in tests do.
public final class ClientSpy {
  public var completions: [(Int) -> Void] = []
  public init() {}

  public func get(_ completion: @escaping (Int) -> Void) { completions.append(completion) }
}

public final class Loader {
  private let client: ClientSpy
  private(set) var value = 0

  public init(client: ClientSpy) { self.client = client }

  /// Leaks: the client holds a closure that holds the loader, which holds the client.
  public func load() {
    client.get { self.value = $0 }
  }

  public func loadFixed() {
    client.get { [weak self] in self?.value = $0 }
  }
}
