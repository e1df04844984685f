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

private final class Log {
  var lines: [String] = []
  let bound: Int

  init(bound: Int) {
    self.bound = bound
    lines.reserveCapacity(100)
  }

  func add(_ count: Int) {
    for _ in 0..<count {
      if lines.count == bound { lines.removeFirst() }
      lines.append("line number \(lines.count) of the log")
    }
  }

  func replace() {
    lines = (0..<5).map { "replaced line number \($0)" }
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

  func testGrowingStringsAreReportedWithTheirOwnerAndTheRuns() throws {
    let log = Log(bound: .max)
    let diff = try LiveObjects.diff(.init(iterations: 10)) { log.add(3) }
    let finding = try XCTUnwrap(diff.findings.first)
    XCTAssertEqual(diff.findings.map(\.type), ["[Swift.String]"], "\(diff)")
    XCTAssertEqual(finding.path.map(\.reference), ["lines"])
    XCTAssertEqual(finding.path.map(\.type), ["LiveObjectsTests.Log"])
    XCTAssertEqual([finding.objects, finding.elements], [30, 30])
    XCTAssertEqual(finding.remarks, ["The 10 runs left 3 of the objects each."])
    use(log)
  }

  func testStringsWithABoundAreSilent() throws {
    let log = Log(bound: 6)
    let diff = try LiveObjects.diff(.init(iterations: 10)) { log.add(3) }
    XCTAssertTrue(diff.isClean, "\(diff)")
    use(log)
  }

  func testReplacedCollectionIsSilent() throws {
    let log = Log(bound: .max)
    let diff = try LiveObjects.diff(.init(iterations: 10)) { log.replace() }
    XCTAssertTrue(diff.isClean, "\(diff)")
    use(log)
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
