import Foundation

public protocol HTTPClient: AnyObject {
  func get(from url: URL, completion: @escaping (Result<Data, any Error>) -> Void)
}
