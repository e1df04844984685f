import Demo
import LiveObjectsXCTest
import XCTest

/// Idiom: a factory tracks the objects that it returns, and a failure is reported at the factory's caller.
final class MakeSUTTests: XCTestCase {
  func testLeaking() {
    let (sut, client) = makeSUT()  // fails: MakeSUTTests.testLeaking
    sut.load()
    XCTAssertEqual(client.completions.count, 1)
  }

  func testFixed() {
    let (sut, client) = makeSUT()
    sut.loadFixed()
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

  func testReleasedInATeardownBlock() {
    let item = Item()
    trackForLeaks(item)
    Registry.shared.items = [item]
    addTeardownBlock { Registry.shared.items = [] }
  }

  func testReleasedLateOnTheMainQueue() {
    let (sut, _) = makeSUT()
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) { [sut = Unchecked(sut)] in
      sut.value.loadFixed()
    }
  }

  func testFailingForAnotherReasonReportsNoLeak() {
    let (sut, _) = makeSUT()
    sut.load()
    XCTFail("for another reason")  // fails: MakeSUTTests.testFailingForAnotherReasonReportsNoLeak
  }

  func testSkippedReportsNoLeak() throws {
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
  private var fixed: FixedCoordinator?

  override func tearDown() {
    coordinator = nil
    fixed = nil
  }

  func testLeaking() {
    coordinator = Coordinator()
    trackForLeaks(coordinator!)  // fails: ClearedPropertyTests.testLeaking
  }

  func testFixed() {
    fixed = FixedCoordinator()
    trackForLeaks(fixed!, fixed!.screen)
  }
}

/// Idiom: `setUp` creates and tracks the system under test.
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

  func testFixed() {
    sut.loadFixed()
  }
}

/// Idiom: a property that asynchronous `tearDown` clears, the last teardown method to run.
final class ClearedAsynchronouslyTests: XCTestCase {
  nonisolated(unsafe) private var fixed: FixedCoordinator?
  nonisolated(unsafe) private var coordinator: Coordinator?

  override func tearDown() async throws {
    try await Task.sleep(for: .milliseconds(1))
    fixed = nil
    coordinator = nil
  }

  func testFixed() async {
    fixed = FixedCoordinator()
    trackForLeaks(fixed!)
  }

  func testLeaking() async {
    coordinator = Coordinator()
    trackForLeaks(coordinator!)  // fails: ClearedAsynchronouslyTests.testLeaking
  }
}

/// Test cases live as long as the process: objects that they hold are not leaks.
final class KeptPropertyTests: XCTestCase {
  private var coordinator: Coordinator?

  func testKept() {
    coordinator = Coordinator()
    trackForLeaks(coordinator!, coordinator!.screen)
  }
}

/// A test with a custom run class.
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

/// With a custom run class, what `tearDown()` tracks is too late.
final class CustomRunTearDownTests: XCTestCase {
  override var testRunClass: AnyClass? { CustomRunTests.Run.self }

  override func tearDown() {
    trackForLeaks(Item())  // fails: CustomRunTearDownTests.testTrackingInTearDown
  }

  func testTrackingInTearDown() {}
}

/// The initializer of a test case runs before all tests.
final class InitializerTests: XCTestCase {
  private nonisolated(unsafe) static let loader = Loader(client: ClientSpy())

  required init(name: String, testClosure: @escaping (XCTestCase) throws -> Void) {
    super.init(name: name, testClosure: testClosure)
    trackForLeaks(Self.loader)  // fails: InitializerTests.testTrackedByInitializer
  }

  func testTrackedByInitializer() {}
}

/// A test that has ended cannot fail any more: the one that runs does.
final class EndedTestTests: XCTestCase {
  private nonisolated(unsafe) static var ended: XCTestCase?

  func test1Ending() { Self.ended = self }

  func test2TrackingForAnEndedTest() {
    Self.ended?.trackForLeaks(Item())  // fails: EndedTestTests.test2TrackingForAnEndedTest
  }
}
