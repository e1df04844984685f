import XCTest

@testable import LiveObjects

final class ScopeTableTests: XCTestCase {
  private var table = ScopeTable()

  func testSingleScopeIsAlone() {
    table.open(1, inside: 0)
    XCTAssertEqual(table[1].members, [1])
    XCTAssertFalse(table[1].ranBesideAnother)
  }

  func testInnerScopesBelongToAllOuterOnes() {
    table.open(1, inside: 0)
    table.open(2, inside: 1)
    table.open(3, inside: 2)
    table.close(3)
    table.close(2)
    XCTAssertEqual(table[1].members, [1, 2, 3])
    XCTAssertFalse(table[1].ranBesideAnother)
  }

  func testScopesOpenedInAClosedOneBelongToTheOuterOne() {
    table.open(1, inside: 0)
    table.open(2, inside: 1)
    table.close(2)
    table.open(3, inside: 2)  // in a task that the second one started
    XCTAssertEqual(table[1].members, [1, 2, 3])
    XCTAssertFalse(table[1].ranBesideAnother)
  }

  func testClosedScopesOutsideOfOpenOnesAreForgotten() {
    table.open(1, inside: 0)
    table.open(2, inside: 1)
    table.close(2)
    table.close(1)
    table.open(3, inside: 2)
    XCTAssertEqual(table[1].members, [1])
    XCTAssertFalse(table[3].ranBesideAnother)
  }

  func testConcurrentScopesAreNotAlone() {
    table.open(1, inside: 0)
    table.open(2, inside: 0)
    table.close(2)
    XCTAssertTrue(table[1].ranBesideAnother)
    XCTAssertEqual(table[1].members, [1])
  }

  func testSiblingsInsideAScopeLeaveItAlone() {
    table.open(1, inside: 0)
    table.open(2, inside: 1)
    table.open(3, inside: 1)
    XCTAssertFalse(table[1].ranBesideAnother)
    XCTAssertTrue(table[2].ranBesideAnother)
    XCTAssertTrue(table[3].ranBesideAnother)
  }

  func testSuccessiveScopesAreAlone() {
    table.open(1, inside: 0)
    table.close(1)
    table.open(2, inside: 0)
    XCTAssertFalse(table[2].ranBesideAnother)
  }
}
