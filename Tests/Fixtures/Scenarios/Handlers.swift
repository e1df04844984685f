// Cycles through a closure that an object holds: its own handler, a callback, a completion.

extension Scenario {
  static let handlers = [
    Scenario("selfHandler", plantSelfHandler),
    Scenario("clientSpy", plantClientSpy),
    Scenario("singleCaptureSpy", plantSingleCaptureSpy),
    Scenario("lazyClosure", plantLazyClosure),
    Scenario("outerClosure", plantOuterClosure),
    Scenario("capturedVariable", plantCapturedVariable),
    Scenario("keepAlive", plantKeepAlive),
    Scenario("strongDelegate", plantStrongDelegate),
  ]
}

final class Screen {
  var handler: (() -> Void)?

  func start() {
    handler = { self.doNothing() }
  }

  @inline(never)
  func doNothing() { use(self) }
}

@inline(never) @_optimize(none)
func plantSelfHandler() {
  let screen = Screen()
  screen.start()
}

protocol Client: AnyObject {
  func get(_ path: String, completion: @escaping (String) -> Void)
}

final class ClientSpy: Client {
  var completions: [(String) -> Void] = []

  func get(_ path: String, completion: @escaping (String) -> Void) {
    completions.append(completion)
  }
}

final class ProfileLoader {
  let client: any Client
  var profile = ""

  init(client: any Client) { self.client = client }

  func load(_ user: Int, completion: @escaping (String) -> Void) {
    client.get("users/\(user)") { text in
      self.profile = text
      completion(text)
    }
  }
}

@inline(never) @_optimize(none)
func plantClientSpy() {
  let loader = ProfileLoader(client: ClientSpy())
  loader.load(7) { _ in }
}

final class LastRequestSpy {
  var completion: ((String) -> Void)?

  func get(completion: @escaping (String) -> Void) { self.completion = completion }
}

final class NameLoader {
  let spy = LastRequestSpy()
  var name = ""

  func load() {
    spy.get { self.name = $0 }
  }
}

/// The closure captures one object only, and has no context of its own.
@inline(never) @_optimize(none)
func plantSingleCaptureSpy() {
  let loader = NameLoader()
  loader.load()
}

final class Formatter {
  var prefix = "No. "
  lazy var format: (Int) -> String = { self.prefix + String($0) }
}

@inline(never) @_optimize(none)
func plantLazyClosure() {
  let formatter = Formatter()
  use(formatter.format(3))
}

final class Reloader {
  var onChange: (() -> Void)?
  var onReload: (() -> Void)?
  var reloads = 0

  /// Only the inner closure captures weakly; the outer one holds the reloader.
  func start() {
    onChange = {
      self.onReload = { [weak self] in self?.reloads += 1 }
    }
  }
}

@inline(never) @_optimize(none)
func plantOuterClosure() {
  let reloader = Reloader()
  reloader.start()
}

final class Subscription {
  var cancel: (() -> Void)?
}

@inline(never)
func observe() -> Subscription {
  var current: Subscription?
  let observation = Subscription()
  observation.cancel = {
    use(current)
    current = nil
  }
  current = observation
  return observation
}

@inline(never) @_optimize(none)
func plantCapturedVariable() {
  use(observe())
}

final class KeepAliveTimer {
  var handler: (() -> Void)?
  var ticks = 0

  func tick() { ticks += 1 }
}

final class Connection {
  let timer = KeepAliveTimer()

  func open() {
    let timer = timer
    timer.handler = { timer.tick() }
  }
}

@inline(never) @_optimize(none)
func plantKeepAlive() {
  for _ in 0..<100 {
    let connection = Connection()
    connection.open()
  }
}

protocol DownloadDelegate: AnyObject {}

final class Download {
  var delegate: (any DownloadDelegate)?
}

final class Downloader: DownloadDelegate {
  var current: Download?

  func start() {
    let download = Download()
    download.delegate = self
    current = download
  }
}

@inline(never) @_optimize(none)
func plantStrongDelegate() {
  let downloader = Downloader()
  downloader.start()
}
