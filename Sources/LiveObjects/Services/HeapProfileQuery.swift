/// The reason why there is no profile.
enum HeapProfileRefusal: Error, Equatable {
  case badSeconds
  case busy
  case cancelled
  case unknown(LiveObjects.TrackingError)

  var status: Int { self == .badSeconds ? 400 : 503 }

  var reason: String {
    switch self {
    case .badSeconds: "seconds must be a whole number from 0 to \(HeapProfileQuery.longest)"
    case .busy: "Another heap profile is being made. Try again."
    case .cancelled: "The request was cancelled."
    case .unknown(let error): error.description
    }
  }
}

/// The parameters of a request.
struct HeapProfileQuery {
  /// An hour.
  static let longest = 3600

  /// The seconds of which the growth is wanted; 0 for all live objects.
  let seconds: Int

  init(_ query: String) throws(HeapProfileRefusal) {
    let prefix = "seconds="
    guard let parameter = query.split(separator: "&").last(where: { $0.hasPrefix(prefix) }) else {
      seconds = 0
      return
    }
    guard let value = Int(parameter.dropFirst(prefix.count)), 0...Self.longest ~= value else {
      throw .badSeconds
    }
    seconds = value
  }
}
