import Hummingbird
import NIOCore
import NIOPosix

/// `Server PORT`: each path leaks in its own way.
@main struct Server {
  static func main() async throws {
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
    let router = Router()
    router.get("search/:query") { _, context in
      await SearchCache.shared.result(for: context.parameters.get("query") ?? "")
    }
    router.get("session") { _, _ in
      let session = Session()
      Task { await session.run() }
      return "started"
    }
    router.get("upstream") { _, _ in
      try await Upstream(port: port).ask()
      return "asked"
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
  }
}

/// Keeps every result.
actor SearchCache {
  static let shared = SearchCache()
  private var results: [String: String] = [:]

  func result(for query: String) -> String {
    let result = "result of a search that takes a long time for \(query)"
    results[query] = result
    return result
  }
}

/// Waits for an answer that never comes, and loses the continuation.
final class Session: Sendable {
  let name = "session of a customer"

  func run() async {
    await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
    print(name)
  }
}

/// Opens a connection, and does not close it.
struct Upstream {
  let port: Int

  func ask() async throws {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
    try await channel.writeAndFlush(ByteBuffer(string: ""))
  }
}
