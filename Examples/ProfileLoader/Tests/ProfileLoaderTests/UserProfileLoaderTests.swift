import Foundation
import ProfileLoader
import XCTest

final class UserProfileLoaderTests: XCTestCase {
  func testInitRequestsNothing() {
    let (_, client) = makeSUT()

    XCTAssertEqual(client.requestedURLs, [])
  }

  func testLoadRequestsTheProfileOfTheUser() {
    let (sut, client) = makeSUT(baseURL: URL(string: "https://api.example.com")!)

    sut.load(userID: 7) { _ in }

    XCTAssertEqual(client.requestedURLs, [URL(string: "https://api.example.com/users/7")!])
  }

  func testLoadDeliversTheProfile() {
    let (sut, client) = makeSUT()
    var received: [Result<UserProfile, UserProfileLoader.LoadError>] = []

    sut.load(userID: 7) { received.append($0) }
    client.complete(with: Data(#"{ "id": 7, "name": "Ada" }"#.utf8))

    XCTAssertEqual(received, [.success(UserProfile(id: 7, name: "Ada"))])
  }

  func testLoadFailsWithoutConnection() {
    let (sut, client) = makeSUT()
    var received: [Result<UserProfile, UserProfileLoader.LoadError>] = []

    sut.load(userID: 7) { received.append($0) }
    client.complete(with: URLError(.notConnectedToInternet))

    XCTAssertEqual(received, [.failure(.connectivity)])
  }

  func testLoadFailsOnInvalidData() {
    let (sut, client) = makeSUT()
    var received: [Result<UserProfile, UserProfileLoader.LoadError>] = []

    sut.load(userID: 7) { received.append($0) }
    client.complete(with: Data("not JSON".utf8))

    XCTAssertEqual(received, [.failure(.invalidData)])
  }

  func testLoadAsksOnlyOnceForTheSameUser() {
    let (sut, client) = makeSUT()

    sut.load(userID: 7) { _ in }
    client.complete(with: Data(#"{ "id": 7, "name": "Ada" }"#.utf8))
    sut.load(userID: 7) { _ in }

    XCTAssertEqual(client.requestedURLs.count, 1)
  }

  // MARK: - Helpers

  private func makeSUT(
    baseURL: URL = URL(string: "https://example.com")!
  ) -> (sut: UserProfileLoader, client: HTTPClientSpy) {
    let client = HTTPClientSpy()
    let sut = UserProfileLoader(client: client, baseURL: baseURL)
    return (sut, client)
  }
}
