import Hummingbird
import Shop

/// `GrowingServer [PORT]`
@main struct GrowingServer {
  static func main() async throws {
    let router = Router()
    Shop().addRoutes(to: router)
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
    try await Shop.application(router, port: port).runService()
  }
}
