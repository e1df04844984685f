import Leaky
import XCTest

/// Tests that leave a cycle behind to which a living object refers weakly: it might still break the cycle, so that only
/// a scan of the whole heap and a wait decide.
final class ObservedTests: XCTestCase {
  func testA_runsManyThatLeak() {
    for number in 1...25 {
      ManyTests(name: "testLeaks\(number)") { _ in leakObservedLoader() }.run()
    }
  }

  func testB_leaks() { leakObservedLoader() }

  func testC_leavesNothing() {}

  func testD_leaks() { leakObservedLoader() }
}

final class ManyTests: XCTestCase {}

private final class Observer {
  weak var loader: Loader?

  init(_ loader: Loader) { self.loader = loader }
}

nonisolated(unsafe) private var observers: [Observer] = {
  var observers: [Observer] = []
  observers.reserveCapacity(100)
  return observers
}()

@inline(never) private func leakObservedLoader() {
  let loader = Loader()
  loader.observe()
  observers.append(Observer(loader))
}
