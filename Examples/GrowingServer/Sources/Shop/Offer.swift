import Hummingbird

/// A price for one request. It has a closure as a checkout has, and is deallocated with the request.
final class Offer {
  private let product: Product
  private let discount = Discount()
  private var price: Int

  init(of product: Product) {
    (self.product, price) = (product, product.price)
    discount.onChange = { [weak self] percent in self?.reduce(by: percent) }
  }

  func current() -> Product {
    discount.onChange?(Int.random(in: 0...10))
    return Product(id: product.id, name: product.name, price: price)
  }

  private func reduce(by percent: Int) { price -= price * percent / 100 }
}

/// Tells an offer when its discount changes.
final class Discount {
  var onChange: ((_ percent: Int) -> Void)?
}
