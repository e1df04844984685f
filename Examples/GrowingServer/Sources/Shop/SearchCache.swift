/// The latest search results. It grows with the first searches, up to its capacity: growth that is no leak.
actor SearchCache {
  private static let capacity = 200

  private var results: [String: SearchResult] = [:]
  private var oldestFirst: [String] = []

  func result(for text: String, search: (String) -> [Product]) -> SearchResult {
    if let result = results[text] { return result }
    if oldestFirst.count == Self.capacity { results[oldestFirst.removeFirst()] = nil }
    let result = SearchResult(products: search(text))
    results[text] = result
    oldestFirst.append(text)
    return result
  }
}

/// The products that one search found.
final class SearchResult: Sendable {
  let products: [Product]

  init(products: [Product]) {
    self.products = products
  }
}
