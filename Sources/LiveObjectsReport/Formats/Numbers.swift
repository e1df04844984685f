/// Numbers values in the order of their first appearance.
struct Numbers<Value: Hashable> {
  private(set) var all: [Value] = []
  private let first: Int
  private var numbers: [Value: Int] = [:]

  /// - Parameter first: the number of the first value.
  init(from first: Int) { self.first = first }

  mutating func number(of value: Value) -> Int {
    if let number = numbers[value] { return number }
    numbers[value] = first + all.count
    all.append(value)
    return first + all.count - 1
  }
}
