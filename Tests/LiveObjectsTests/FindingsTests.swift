import LiveObjects
import XCTest

/// Findings of a diff.
final class FindingsTests: XCTestCase {
  func testEmptyDiffHasNoFindings() throws {
    XCTAssertEqual(try LiveObjects.diff {}.findings, [])
  }

  func testRetainCycleIsShownWithItsProperties() throws {
    let diff = try LiveObjects.diff { makeOwnedScreen() }
    let finding = try XCTUnwrap(diff.findings.first)
    XCTAssertEqual(diff.findings.count, 1, "\(diff)")
    XCTAssertEqual(finding.verdict, .retainCycle)
    XCTAssertEqual(finding.certainty, .definite)
    XCTAssertEqual(finding.path.map(\.type), ["LiveObjectsTests.Coordinator", "LiveObjectsTests.Screen"])
    XCTAssertEqual(finding.path.map(\.reference), ["screens[0]", "owner"])
    XCTAssertEqual(finding.instances, 1)
    XCTAssertTrue("\(diff)".contains("screens[0]"), "\(diff)")
  }

  func testCycleThroughAClosureNamesTheClosure() throws {
    let diff = try LiveObjects.diff { makeScreenWithHandler() }
    let finding = try XCTUnwrap(diff.findings.first)
    XCTAssertEqual(finding.verdict, .retainCycle, "\(diff)")
    XCTAssertEqual(finding.path.map(\.reference), ["handler", "captured Screen"])
    XCTAssertEqual(
      finding.path.map(\.type).last, "closure #1 in LiveObjectsTests.makeScreenWithHandler()")
  }

  func testObjectHeldByAnOlderObjectNamesIt() throws {
    try LiveObjects.start()
    let coordinator = onHeap { Coordinator() }
    let diff = try LiveObjects.diff { coordinator.screens.append(Screen()) }
    let finding = try XCTUnwrap(diff.findings.first { $0.type == "LiveObjectsTests.Screen" })
    XCTAssertEqual(finding.verdict, .heldBy, "\(diff)")
    let last = try XCTUnwrap(finding.path.last)
    XCTAssertEqual(last.type, "LiveObjectsTests.Coordinator")
    XCTAssertEqual(last.reference, "screens[0]")
    withExtendedLifetime(coordinator) {}
  }

  func testObjectHeldByAStaticNamesIt() throws {
    let diff = try LiveObjects.diff { Coordinator.shared.screens.append(Screen()) }
    defer { Coordinator.shared.screens = [] }
    let finding = try XCTUnwrap(diff.findings.first { $0.type == "LiveObjectsTests.Screen" })
    XCTAssertEqual(finding.verdict, .heldBy, "\(diff)")
    XCTAssertEqual(finding.path.first?.type, "static LiveObjectsTests.Coordinator.shared", "\(diff)")
    XCTAssertEqual(finding.path.last?.reference, "screens[0]")
  }

  /// Another thread of the test runner might hold them; that retains are missing their release is seen anyway.
  /// A stale word in an object of XCTest, which has no reflection metadata, may equal the address of one.
  func testUnbalancedRetainsAreOverRetained() throws {
    let diff = try LiveObjects.diff { for _ in 0..<4 { plant(Screen()) } }
    let findings = diff.findings.filter { [.overRetained, .growth].contains($0.verdict) }
    XCTAssertGreaterThanOrEqual(findings.map(\.instances).reduce(0, +), 3, "\(diff)")
    for finding in findings { XCTAssertEqual(finding.unexplainedRetains, finding.instances, "\(diff)") }
  }

  func testGrowthBetweenSnapshotsIsExplained() throws {
    try LiveObjects.start()
    let older = try LiveObjects.snapshot(references: false)
    makeOwnedScreen()
    let growth = try LiveObjects.snapshot().growth(since: older)
    XCTAssertEqual(growth.findings.map(\.verdict), [.retainCycle], "\(growth)")
  }

  func testOlderLeakIsNotInADiff() throws {
    try LiveObjects.start()
    makeOwnedScreen()
    let diff = try LiveObjects.diff { plant(Screen()) }
    XCTAssertEqual(diff.findings.count, 1, "\(diff)")
    XCTAssertEqual(diff.findings.first?.objects, 1)
  }
}

final class Coordinator {
  nonisolated(unsafe) static let shared = Coordinator()
  var screens: [Screen] = []
}

final class Screen {
  var owner: Coordinator?
  var handler: (() -> Int)?
}

@inline(never) @_optimize(none)
private func makeOwnedScreen() {
  let coordinator = Coordinator()
  let screen = Screen()
  screen.owner = coordinator
  coordinator.screens.append(screen)
}

@inline(never) @_optimize(none)
private func makeScreenWithHandler() {
  let screen = Screen()
  let number = Int.random(in: 0..<10)
  screen.handler = { screen.owner == nil ? number : 0 }
}
