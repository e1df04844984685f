public import Hummingbird
public import ServiceLifecycle

/// A small shop over HTTP.
public struct Shop: Sendable {
  private let catalogue = Catalogue()
  private let searches = SearchCache()

  public init() {}

  /// Only `POST /products/ID/orders` leaks.
  public func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("products/{id}") { _, context in
      try catalogue.product(context.parameters.require("id", as: Int.self))
    }
    router.get("products/{id}/offer") { _, context in
      try offer(context.parameters.require("id", as: Int.self))
    }
    router.get("products") { request, _ in await search(String(request.uri.queryParameters["named"] ?? "")) }
    router.post("products/{id}/orders") { _, context in
      try order(context.parameters.require("id", as: Int.self))
    }
  }

  private func offer(_ id: Int) throws -> Product { Offer(of: try catalogue.product(id)).current() }

  private func search(_ text: String) async -> [Product] {
    await searches.result(for: text) { catalogue.products(named: $0) }.products
  }

  private func order(_ id: Int) throws -> Receipt {
    try CheckoutSession(ordering: catalogue.product(id)).finish()
  }
}

extension Shop {
  /// A server on a port of this machine.
  public static func application(
    _ router: Router<BasicRequestContext>, port: Int, services: [any Service] = []
  ) -> some ApplicationProtocol {
    Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      services: services)
  }
}
