import Foundation
import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class SettlingTests: XCTestCase {
  private func objects(_ addresses: UInt64...) -> [ObjectIdentity] {
    addresses.map { ObjectIdentity(LiveObject(address: $0, bytes: 16, sequence: $0, type: 0)) }
  }

  private func pauses(
    limit: Duration, isBusy: Bool = false, _ look: (Int) -> [ObjectIdentity]
  ) -> [Duration] {
    var settling = Settling(limit: limit, isBusy: { isBusy })
    var pauses: [Duration] = []
    while let pause = settling.pause(after: look(pauses.count)) { pauses.append(pause) }
    return pauses
  }

  func testNoSurvivorsNeedNoPause() {
    XCTAssertEqual(pauses(limit: .seconds(1)) { _ in objects() }, [])
  }

  func testPausesGrowByHalf() {
    let all = pauses(limit: .seconds(1)) { _ in objects(1) }
    XCTAssertEqual(all.prefix(3), [.milliseconds(1), .microseconds(1500), .microseconds(2250)])
  }

  func testUnchangedForATenthOfASecondHasSettled() {
    let all = pauses(limit: .seconds(1)) { _ in objects(1, 2) }
    let total = all.reduce(.zero, +)
    XCTAssertTrue((.milliseconds(100) ..< .milliseconds(150)).contains(total), "\(total)")
  }

  /// On a busy machine the thread that is to release them may not have run yet.
  func testSettlingTakesFourTimesAsLongWhileAnotherThreadRuns() {
    let total = pauses(limit: .seconds(1), isBusy: true) { _ in objects(1) }.reduce(.zero, +)
    XCTAssertTrue((.milliseconds(400) ..< .milliseconds(450)).contains(total), "\(total)")
  }

  func testRunningThreadIsDetected() {
    let stop = Locked(false)
    let thread = Thread { while !stop.withLock({ $0 }) {} }
    thread.start()
    while !OtherThreads.areRunning {}
    stop.withLock { $0 = true }
  }

  func testChangingSurvivorsEndAtTheLimit() {
    let all = pauses(limit: .seconds(1)) { look in objects(UInt64(look + 1)) }
    XCTAssertEqual(all.reduce(.zero, +), .seconds(1))
    XCTAssertEqual(all.max(), .milliseconds(50))
  }

  func testReuseOfAnAddressIsAChange() {
    let first = ObjectIdentity(LiveObject(address: 1, bytes: 16, sequence: 1, type: 0))
    let second = ObjectIdentity(LiveObject(address: 1, bytes: 16, sequence: 2, type: 0))
    XCTAssertNotEqual(first, second)
  }
}
