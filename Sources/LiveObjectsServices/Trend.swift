/// Whether numbers that were taken at equal intervals grow, as a leak does, or stay on a level, as a cache or load does.
///
/// The first half is left out: programs fill caches when they start. The other half is cut into ten blocks. The least number
/// of a block, its floor, does not depend on peaks of the load, and a leak raises it from block to block. The Mann-Kendall
/// statistic counts the pairs of blocks of which the later one has the higher floor, minus those of which the earlier one
/// has. Growth is a statistic of at least 39 of 45: three falling pairs are allowed, or six equal ones. Ten independent floors in random
/// order have that with a probability of 0.00006 (the exact distribution), and a leak that is larger than the load's
/// changes has 45.
package enum Trend: Sendable, Hashable {
  /// There are fewer than 20 numbers.
  case undecided
  case level
  /// The growth of an interval: the median of the slopes between all pairs of floors (Theil-Sen). And the index of the
  /// earliest number from which on growth was as fast; 0 for all of the time.
  case growth(perInterval: Double, since: Int)

  /// The fewest numbers that allow a decision.
  package static let leastCount = 20

  private static let blocks = 10
  /// The least statistic that is growth.
  private static let leastStatistic = 39

  package init(_ values: [Int]) {
    guard values.count >= Self.leastCount else {
      self = .undecided
      return
    }
    let size = Double(values.count) / 2 / Double(Self.blocks)
    let floors = Self.floors(of: values, blockSize: size)
    let late = Array(floors.suffix(Self.blocks))
    guard Self.statistic(of: late) >= Self.leastStatistic else {
      self = .level
      return
    }
    let slope = Self.slope(of: late)
    let first = Self.start(of: slope, in: floors)
    self = .growth(perInterval: slope / size, since: Int(Double(first) * size))
  }

  /// The floors of twenty blocks.
  private static func floors(of values: [Int], blockSize size: Double) -> [Int] {
    (0..<2 * blocks).map { block in
      values[Int(Double(block) * size)..<Int(Double(block + 1) * size)].min() ?? 0
    }
  }

  private static func pairs(of values: [Int]) -> [(distance: Int, rise: Int)] {
    values.indices.flatMap { first in
      values[(first + 1)...].indices.map { ($0 - first, values[$0].subtractingClamped(values[first])) }
    }
  }

  private static func statistic(of floors: [Int]) -> Int {
    pairs(of: floors).reduce(0) { $0 + $1.rise.signum() }
  }

  private static func slope(of floors: [Int]) -> Double {
    let slopes = pairs(of: floors).map { Double($0.rise) / Double($0.distance) }.sorted()
    return slopes[slopes.count / 2]
  }

  /// Follows the growth from the end to the beginning, as long as floors lie near its line.
  private static func start(of slope: Double, in floors: [Int]) -> Int {
    let tolerance = slope * Double(blocks) / 4
    let isNear = { (block: Int) in
      let expected = Double(floors[floors.count - 1]) - slope * Double(floors.count - 1 - block)
      return abs(Double(floors[block]) - expected) <= tolerance
    }
    let last = floors.indices.dropLast(blocks).last { !isNear($0) }
    return last.map { $0 + 1 } ?? 0
  }
}

extension Int {
  /// Numbers of a file from elsewhere may be of any size.
  fileprivate func subtractingClamped(_ other: Int) -> Int {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (self < other ? .min : .max) : difference
  }
}
