import LiveObjectsCapture
import XCTest

@testable import LiveObjects

/// A child task's list of task-local values continues with its parent's.
final class ChildTaskTests: XCTestCase {
  @TaskLocal private static var outer: GenericPlanted<Int>?
  @TaskLocal private static var inner: GenericPlanted<Int>?

  func testChildTasksWithTaskLocalValuesAreRead() async throws {
    try LiveObjects.start()
    let status = try await Self.$outer.withValue(GenericPlanted(1)) {
      try await Self.$inner.withValue(GenericPlanted(1)) { try await statusWhileChildrenWait() }
    }
    XCTAssertEqual(status?.wasRead, true)
    XCTAssertEqual(status?.unreadObjects, 0)
  }

  private func statusWhileChildrenWait() async throws -> HeapGraph.Status? {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try? await Task.sleep(for: .seconds(60)) } }
      Self.$inner.withValue(GenericPlanted(1)) {
        group.addTask { try? await Task.sleep(for: .seconds(60)) }
      }
      for _ in 0..<10 { await Task.yield() }
      defer { group.cancelAll() }
      return try Recorder.capture(since: 0, references: true).decoded().graph?.status
    }
  }
}
