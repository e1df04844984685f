// StackStorm OBJECTS LIVE
//
// Makes OBJECTS objects, 20 in ten milliseconds, each with a stack that none before had. The last LIVE of them stay.

import FixtureSupport

final class Spark {}

let numbers = CommandLine.arguments.dropFirst().map { Int($0)! }
let (objects, live) = (numbers[0], numbers[1])

var sparks = [Spark?](repeating: nil, count: live)

/// The stack has a frame for each bit of the number.
@inline(never) @_optimize(none)
func make(_ number: Int, bits: Int) -> Spark {
  let spark: Spark
  if bits == 0 {
    spark = Spark()
  } else if number % 2 == 0 {
    spark = make(number / 2, bits: bits - 1)
  } else {
    spark = make(number / 2, bits: bits - 1)
  }
  return spark
}

for number in 0..<objects {
  sparks[number % live] = make(number, bits: 20)
  if number % 20 == 0 { usleep(10_000) }
}
