import Dispatch
import Leaky
import XCTest

/// Releases soon after the test's end.
final class LateReleaseTests: XCTestCase {
  func testOnAQueue() {
    let token = Token()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(40)) { token.use() }
  }

  func testOnTheMainQueue() {
    let token = Token()
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(40)) { token.use() }
  }

  func testOnTheMainActor() {
    let token = Token()
    Task { @MainActor in
      try await Task.sleep(for: .milliseconds(40))
      token.use()
    }
  }

  func testInATask() {
    let token = Token()
    Task.detached {
      try await Task.sleep(for: .milliseconds(40))
      token.use()
    }
  }

  func testInAnActor() {
    let keeper = Keeper(Token())
    Task {
      try await Task.sleep(for: .milliseconds(40))
      await keeper.drop()
    }
  }

  func testOfACycleThatIsBroken() {
    let loader = Loader()
    loader.observe()
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(40)) { [weak loader] in
      loader?.handler = nil
    }
  }

  func testOnAThread() {
    let token = Token()
    let thread = Thread {
      usleep(40_000)
      token.use()
    }
    thread.start()
  }
}

final class LeakAndLateReleaseTests: XCTestCase {
  func testLeaksOneAndReleasesTheOther() {
    let loader = Loader()
    loader.observe()
    let token = Token()
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(40)) { token.use() }
  }
}

private actor Keeper {
  private var token: Token?
  init(_ token: Token) { self.token = token }
  func drop() { token = nil }
}

final class LateFailureTests: XCTestCase {
  func testFailsOnTheMainQueueAfterItsEnd() {
    let loader = Loader()
    loader.observe()
    loader.failLate(in: self)
  }

  func testNothing() {}
}
