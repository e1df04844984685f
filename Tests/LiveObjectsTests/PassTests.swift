import LiveObjects
import XCTest

private final class Cache {
  var entries: [Planted] = []
  let bound: Int

  init(bound: Int) {
    self.bound = bound
    entries.reserveCapacity(100)
  }

  func add() {
    if entries.count == bound { entries.removeFirst() }
    entries.append(Planted())
  }
}

private enum Once {
  static let value = GenericPlanted(1)
}

/// Warm-up and iterations: single allocations, bounded caches, and endless growth.
final class PassTests: XCTestCase {
  func testWarmUpHidesAllocationsOfTheFirstRun() throws {
    let diff = try LiveObjects.diff(.init(warmUp: 1)) { use(Once.value) }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testCacheWithABoundIsSilent() throws {
    let cache = Cache(bound: 3)
    let diff = try LiveObjects.diff(.init(iterations: 10)) { cache.add() }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testCacheWithoutABoundGrowsOnEveryPass() throws {
    let cache = Cache(bound: .max)
    let diff = try LiveObjects.diff(.init(iterations: 10)) { cache.add() }
    XCTAssertEqual(diff.types.map(\.type), ["LiveObjectsTests.Planted"])
    XCTAssertEqual(diff.instances, 10)
    use(cache)
  }

  func testTypeThatSkipsAPassIsSilent() throws {
    var pass = 0
    let diff = try LiveObjects.diff(.init(iterations: 4)) {
      pass += 1
      if pass != 2 { plant(Planted()) }
      plant(GenericPlanted(pass))
    }
    XCTAssertEqual(diff.types.map(\.type), ["LiveObjectsTests.GenericPlanted<Swift.Int>"])
  }
}
