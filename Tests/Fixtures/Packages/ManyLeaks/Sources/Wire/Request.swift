/// A value that arrives later.
final class Future {
  private var callbacks: [(Int) -> Void] = []

  func whenComplete(_ callback: @escaping (Int) -> Void) { callbacks.append(callback) }

  func succeed(_ value: Int) {
    let waiting = callbacks
    callbacks = []
    for callback in waiting { callback(value) }
  }
}

/// Waits for its response, and is kept by the callback until that arrives.
public final class Request {
  private let response = Future()
  public private(set) var status = 0

  public init() {
    response.whenComplete { self.status = $0 }
  }

  public func respond(_ status: Int) { response.succeed(status) }
}

/// Not leaked by any test, unless the environment asks for it.
public final class Session {
  private var onClose: (() -> Void)?

  public init() { onClose = { self.close() } }

  public func close() { onClose = nil }
}
