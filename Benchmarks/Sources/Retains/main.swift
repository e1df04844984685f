// Retains and releases with next to no allocation: references moved about between properties.

final class Item {
  let value: Int
  init(value: Int) { self.value = value }
}

final class Slots {
  var first: Item
  var second: Item

  init(_ item: Item) {
    first = item
    second = item
  }

  /// Two retains and two releases.
  @inline(never)
  func shift(in item: Item) {
    first = second
    second = item
  }
}

let items = (0..<1_024).map(Item.init)
let slots = Slots(items[0])
var sum = 0
for step in 0..<10_000_000 {
  slots.shift(in: items[step & 1_023])
  sum &+= slots.first.value
}
print(sum)
