import Hummingbird

/// One order, from the request to the payment.
final class CheckoutSession {
  private let product: Product
  private let payment = Payment()
  private var receipt: Receipt?

  init(ordering product: Product) {
    self.product = product
  }

  func finish() throws -> Receipt {
    // The mistake: the session has the payment, and the payment has this closure, which has the session.
    payment.onApproval = { number in
      self.receipt = Receipt(payment: number, product: self.product.name, price: self.product.price)
    }
    payment.approve()
    guard let receipt else { throw HTTPError(.badGateway) }
    return receipt
  }
}

/// A payment that is approved later, by a bank.
final class Payment {
  var onApproval: ((_ number: Int) -> Void)?

  func approve() { onApproval?(Int.random(in: 1...1_000_000)) }
}

struct Receipt: ResponseCodable, Sendable {
  var payment: Int
  var product: String
  /// In cents.
  var price: Int
}
