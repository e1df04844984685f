import Demo
import LiveObjectsXCTest
import XCTest

/// Idiom: a factory tracks what it makes, and a failure shows at the factory's caller.
final class MakeSUTTests: XCTestCase {
  func testLeaking() {
    let (sut, client) = makeSUT()  // fails: MakeSUTTests.testLeaking
    sut.load()
    XCTAssertEqual(client.completions.count, 1)
  }

  func testMended() {
    let (sut, client) = makeSUT()
    sut.loadMended()
    XCTAssertEqual(client.completions.count, 1)
  }

  func testLeakingForTwoReasons() {
    let loader = Loader(client: ClientSpy())
    loader.load()
    Registry.shared.items = [Item()]
    trackForLeaks(loader, Registry.shared.items[0])  // fails: MakeSUTTests.testLeakingForTwoReasons
  }

  func testLeakingAsynchronously() async {
    let (sut, _) = makeSUT()  // fails: MakeSUTTests.testLeakingAsynchronously
    await Task.yield()
    sut.load()
  }

  func testTrackedTwice() {
    let item = Item()
    trackForLeaks(item, item)  // fails: MakeSUTTests.testTrackedTwice
    trackForLeaks(item)
    Registry.shared.items = [item]
  }

  func testKeptByAStatic() {
    let item = Item()
    trackForLeaks(item)  // fails: MakeSUTTests.testKeptByAStatic
    Registry.shared.items = [item]
  }

  func testForgottenInATeardownBlock() {
    let item = Item()
    trackForLeaks(item)
    Registry.shared.items = [item]
    addTeardownBlock { Registry.shared.items = [] }
  }

  func testReleasedLateOnTheMainQueue() {
    let (sut, _) = makeSUT()
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) { [sut = Unchecked(sut)] in
      sut.value.loadMended()
    }
  }

  func testFailingOtherwiseClaimsNothing() {
    let (sut, _) = makeSUT()
    sut.load()
    XCTFail("for another reason")  // fails: MakeSUTTests.testFailingOtherwiseClaimsNothing
  }

  func testSkippedClaimsNothing() throws {
    let (sut, _) = makeSUT()
    sut.load()
    throw XCTSkip()
  }

  private func makeSUT(file: StaticString = #filePath, line: UInt = #line) -> (Loader, ClientSpy) {
    let client = ClientSpy()
    let sut = Loader(client: client)
    trackForLeaks(sut, client, file: file, line: line)
    return (sut, client)
  }
}

/// Idiom: a property that tearDown clears.
final class ClearedPropertyTests: XCTestCase {
  private var coordinator: Coordinator?
  private var mended: MendedCoordinator?

  override func tearDown() {
    coordinator = nil
    mended = nil
  }

  func testLeaking() {
    coordinator = Coordinator()
    trackForLeaks(coordinator!)  // fails: ClearedPropertyTests.testLeaking
  }

  func testMended() {
    mended = MendedCoordinator()
    trackForLeaks(mended!, mended!.screen)
  }
}

/// The system under test is made, and tracked, before every test.
final class SetUpTests: XCTestCase {
  private var sut: Loader!

  override func setUp() {
    sut = Loader(client: ClientSpy())
    trackForLeaks(sut)  // fails: SetUpTests.testLeaking
  }

  override func tearDownWithError() throws {
    sut = nil
  }

  func testLeaking() {
    sut.load()
  }

  func testMended() {
    sut.loadMended()
  }
}

/// The same with the last teardown there is.
final class ClearedAsynchronouslyTests: XCTestCase {
  nonisolated(unsafe) private var mended: MendedCoordinator?
  nonisolated(unsafe) private var coordinator: Coordinator?

  override func tearDown() async throws {
    try await Task.sleep(for: .milliseconds(1))
    mended = nil
    coordinator = nil
  }

  func testMended() async {
    mended = MendedCoordinator()
    trackForLeaks(mended!)
  }

  func testLeaking() async {
    coordinator = Coordinator()
    trackForLeaks(coordinator!)  // fails: ClearedAsynchronouslyTests.testLeaking
  }
}

/// Test cases live as long as the process: what they hold is no leak, cycle or not.
final class KeptPropertyTests: XCTestCase {
  private var coordinator: Coordinator?

  func testKept() {
    coordinator = Coordinator()
    trackForLeaks(coordinator!, coordinator!.screen)
  }
}

/// A run of the user's own class ends as XCTest's does.
final class CustomRunTests: XCTestCase {
  final class Run: XCTestCaseRun {}

  override var testRunClass: AnyClass? { Run.self }

  func testLeaking() {
    let loader = Loader(client: ClientSpy())
    loader.load()
    trackForLeaks(loader)  // fails: CustomRunTests.testLeaking
  }

  func testLeakingUntracked() {
    let loader = Loader(client: ClientSpy())
    loader.load()
  }
}
