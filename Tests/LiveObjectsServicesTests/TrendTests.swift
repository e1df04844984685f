import CaptureFixtures
import Foundation
import Testing

@testable import LiveObjectsServices

/// Growth as opposed to load, caches and warm-up.
@Suite struct TrendTests {
  @Test func aLeakGrowsFromWhereItBegins() throws {
    let leak = (0..<400).map { 1000 + 5 * $0 }
    #expect(Trend(leak) == .growth(perInterval: 5, since: 0))
    let late = (0..<400).map { 1000 + 5 * max(0, $0 - 200) }
    guard case .growth(let speed, let since) = Trend(late) else { throw Failure() }
    #expect(speed == 5)
    #expect((160...220).contains(since))
  }

  @Test func aLeakIsSeenThroughLoad() {
    var random = SplitMix64(seed: 1)
    let loaded = (0..<400).map { 1000 + 3 * $0 + Int.random(in: 0...500, using: &random) }
    guard case .growth(let speed, _) = Trend(loaded) else {
      Issue.record("it is level")
      return
    }
    #expect((2...4).contains(speed))
  }

  @Test func fewNumbersAreUndecided() {
    #expect(Trend(Array(0..<19)) == .undecided)
    #expect(Trend(Array(0..<20)) == .growth(perInterval: 1, since: 0))
    #expect(Trend([]) == .undecided)
  }

  @Test func aFullCacheAndABoundedOneAreLevel() {
    #expect(Trend((0..<200).map { min($0 * 20, 1500) }) == .level)
    #expect(Trend((0..<200).map { 1000 + $0 * 37 % 300 }) == .level)
    #expect(Trend((0..<200).map { Int(1000 * (1 - exp(-Double($0) / 10))) }) == .level)
    #expect(Trend(Array(repeating: 7, count: 200)) == .level)
    #expect(Trend((0..<200).map { 1000 - $0 }) == .level)
  }

  @Test func numbersOfAnySizeAreRead() {
    #expect(Trend((0..<200).map { $0.isMultiple(of: 2) ? .max : .min }) == .level)
    guard case .growth = Trend((0..<200).map { .min / 2 + $0 * (.max / 250) }) else {
      Issue.record("it is level")
      return
    }
  }

  /// The rates of `running-services.md`: how many of 10,000 series without growth, of 200 numbers each, count as growth.
  @Test func falseAlarmsAreRare() {
    var random = SplitMix64(seed: 42)
    let rates = Self.kinds.map { kind in
      (0..<10_000).count { _ in Trend(kind.series(&random)).isGrowth }
    }
    print("false alarms in 10,000 series:", zip(Self.kinds.map(\.name), rates).map { "\($0) \($1)" })
    for (kind, rate) in zip(Self.kinds, rates) { #expect(rate <= kind.most, "\(kind.name)") }
  }

  private struct Kind: Sendable {
    var name: String
    /// The most false alarms that are accepted.
    var most: Int
    var series: @Sendable (inout SplitMix64) -> [Int]
  }

  private static let kinds = [
    Kind(name: "independent load", most: 5) { random in
      (0..<200).map { _ in Int.random(in: 900...1100, using: &random) }
    },
    Kind(name: "load that changes slowly", most: 40) { random in
      var level = 0.0
      return (0..<200).map { _ in
        level = 0.8 * level + Double.random(in: -50...50, using: &random)
        return 1000 + Int(level)
      }
    },
    Kind(name: "a cache that is emptied when full", most: 5) { random in
      let (size, start) = (Int.random(in: 3...9, using: &random), Int.random(in: 0...9, using: &random))
      return (0..<200).map { 1000 + ($0 + start) % size * 100 + Int.random(in: 0...9, using: &random) }
    },
    Kind(name: "warm-up, then load", most: 5) { random in
      (0..<200).map { 1000 - Int(800 * exp(-Double($0) / 8)) + Int.random(in: 0...50, using: &random) }
    },
  ]
}

private struct Failure: Error {}
