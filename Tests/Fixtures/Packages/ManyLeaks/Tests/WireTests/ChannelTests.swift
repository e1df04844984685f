import Wire
import XCTest

/// A hundred tests that open a channel and do not close it.
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
  func test011() { open() }
  func test012() { open() }
  func test013() { open() }
  func test014() { open() }
  func test015() { open() }
  func test016() { open() }
  func test017() { open() }
  func test018() { open() }
  func test019() { open() }
  func test020() { open() }
  func test021() { open() }
  func test022() { open() }
  func test023() { open() }
  func test024() { open() }
  func test025() { open() }
  func test026() { open() }
  func test027() { open() }
  func test028() { open() }
  func test029() { open() }
  func test030() { open() }
  func test031() { open() }
  func test032() { open() }
  func test033() { open() }
  func test034() { open() }
  func test035() { open() }
  func test036() { open() }
  func test037() { open() }
  func test038() { open() }
  func test039() { open() }
  func test040() { open() }
  func test041() { open() }
  func test042() { open() }
  func test043() { open() }
  func test044() { open() }
  func test045() { open() }
  func test046() { open() }
  func test047() { open() }
  func test048() { open() }
  func test049() { open() }
  func test050() { open() }
  func test051() { open() }
  func test052() { open() }
  func test053() { open() }
  func test054() { open() }
  func test055() { open() }
  func test056() { open() }
  func test057() { open() }
  func test058() { open() }
  func test059() { open() }
  func test060() { open() }
  func test061() { open() }
  func test062() { open() }
  func test063() { open() }
  func test064() { open() }
  func test065() { open() }
  func test066() { open() }
  func test067() { open() }
  func test068() { open() }
  func test069() { open() }
  func test070() { open() }
  func test071() { open() }
  func test072() { open() }
  func test073() { open() }
  func test074() { open() }
  func test075() { open() }
  func test076() { open() }
  func test077() { open() }
  func test078() { open() }
  func test079() { open() }
  func test080() { open() }
  func test081() { open() }
  func test082() { open() }
  func test083() { open() }
  func test084() { open() }
  func test085() { open() }
  func test086() { open() }
  func test087() { open() }
  func test088() { open() }
  func test089() { open() }
  func test090() { open() }
  func test091() { open() }
  func test092() { open() }
  func test093() { open() }
  func test094() { open() }
  func test095() { open() }
  func test096() { open() }
  func test097() { open() }
  func test098() { open() }
  func test099() { open() }
  func test100() { open() }
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
