import Hummingbird

/// The products of the shop, which never change.
struct Catalogue: Sendable {
  private let products: [Product] = (1...500).map { Product(id: $0, name: "Product \($0)", price: 99 + $0) }

  func product(_ id: Int) throws -> Product {
    guard products.indices.contains(id - 1) else { throw HTTPError(.notFound) }
    return products[id - 1]
  }

  func products(named text: String) -> [Product] { products.filter { $0.name.contains(text) } }
}

struct Product: ResponseCodable, Sendable {
  var id: Int
  var name: String
  /// In cents.
  var price: Int
}
