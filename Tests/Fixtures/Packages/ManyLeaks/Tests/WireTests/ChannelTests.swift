import Wire
import XCTest

/// Ten tests that open a channel and do not close it.
final class ChannelTests: XCTestCase {
  private func open() {
    XCTAssertEqual(makeChannel().handlers, 2)
  }

  func test001() {
    let channel = makeChannel()
    XCTAssertEqual(channel.handlers, 2)
    if isSet("MANY_LEAKS_ONE_IS_FIXED") { channel.close() }
  }

  func test002() { open() }
  func test003() { open() }
  func test004() { open() }
  func test005() { open() }
  func test006() { open() }
  func test007() { open() }
  func test008() { open() }
  func test009() { open() }
  func test010() { open() }
}

final class CleanTests: XCTestCase {
  func testClosesItsChannel() {
    let channel = makeChannel()
    channel.close()
    XCTAssertEqual(channel.handlers, 0)
  }

  func testClosesItsSession() {
    let session = Session()
    if !isSet("MANY_LEAKS_ONE_IS_NEW") { session.close() }
  }
}

private func isSet(_ variable: String) -> Bool { ProcessInfo.processInfo.environment[variable] != nil }

/// The helper of all tests, as test suites have one.
@inline(never)
private func makeChannel() -> Channel { Channel() }
