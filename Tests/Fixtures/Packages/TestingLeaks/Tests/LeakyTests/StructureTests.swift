import Leaky
import Testing

/// Task-local values, known issues, tasks and suites during a test.
@Suite struct StructureTests {
  @Test func confirms() async {
    await confirmation { confirmed in
      makeRetainCycle(Int.self)
      confirmed()
    }
  }

  @Test(.timeLimit(.minutes(1))) func hasATimeLimit() async {
    makeRetainCycle(Int.self)
    await Task.yield()
  }

  @Test func hasKnownIssuesInsideOthers() async {
    await withKnownIssue {
      makeRetainCycle(Int.self)
      withKnownIssue { #expect(Bool(false)) }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { withKnownIssue { #expect(Bool(false)) } } }
      }
      #expect(Bool(false))
    }
  }

  @Test func throwsOutOfTasks() async {
    await #expect(throws: CancellationError.self) { try await failInATask() }
    await #expect(throws: CancellationError.self) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { throw CancellationError() }
        try await group.waitForAll()
      }
    }
    makeRetainCycle(Int.self)
  }

  private func failInATask() async throws {
    async let failure: Void = { throw CancellationError() }()
    try await failure
  }

  @Test func cancelsTasks() async {
    let task = Task {
      try await confirmation(expectedCount: 0) { _ in try await Task.sleep(for: .seconds(60)) }
    }
    task.cancel()
    _ = await task.result
    makeRetainCycle(Int.self)
  }

  @MainActor @Test func runsOnTheMainActor() async {
    makeRetainCycle(Int.self)
    await Task.yield()
  }

  #if compiler(>=6.2)
    @Test func exits() async {
      await #expect(processExitsWith: .success) { makeRetainCycle(String.self) }
    }
  #endif

  struct Inner {
    let node: Node<Int8>

    init() {
      node = Node()
      node.other = node
    }

    @Test func leaksAPropertyOfTheSuite() {}
  }

  final class Kept {
    let node = Node<Int16>()

    @Test func keepsAPropertyThatTheSuiteReleases() { node.other = Node() }
  }
}
