import Foundation
import ProfileLoader

/// Notes what it is asked for, and answers when the test says so.
final class HTTPClientSpy: HTTPClient {
  private var requests: [(url: URL, completion: (Result<Data, any Error>) -> Void)] = []

  var requestedURLs: [URL] { requests.map(\.url) }

  func get(from url: URL, completion: @escaping (Result<Data, any Error>) -> Void) {
    requests.append((url, completion))
  }

  func complete(_ index: Int = 0, with data: Data) {
    requests[index].completion(.success(data))
  }

  func complete(_ index: Int = 0, with error: any Error) {
    requests[index].completion(.failure(error))
  }
}
