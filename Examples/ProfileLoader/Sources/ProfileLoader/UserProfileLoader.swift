import Foundation

/// Loads user profiles, and remembers those that it has loaded.
public final class UserProfileLoader {
  public enum LoadError: Error, Equatable {
    case connectivity
    case invalidData
  }

  public typealias Completion = (Result<UserProfile, LoadError>) -> Void

  private let client: any HTTPClient
  private let baseURL: URL
  private var profiles: [Int: UserProfile] = [:]

  public init(client: any HTTPClient, baseURL: URL) {
    self.client = client
    self.baseURL = baseURL
  }

  public func load(userID: Int, completion: @escaping Completion) {
    if let profile = profiles[userID] { return completion(.success(profile)) }

    client.get(from: baseURL.appendingPathComponent("users/\(userID)")) { result in
      completion(self.profile(from: result, userID: userID))
    }
  }

  private func profile(
    from result: Result<Data, any Error>, userID: Int
  ) -> Result<UserProfile, LoadError> {
    guard let data = try? result.get() else { return .failure(.connectivity) }
    guard let profile = try? JSONDecoder().decode(UserProfile.self, from: data) else {
      return .failure(.invalidData)
    }
    profiles[userID] = profile
    return .success(profile)
  }
}
