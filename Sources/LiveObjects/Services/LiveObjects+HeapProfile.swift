extension LiveObjects {
  /// Answers a request for `/debug/pprof/heap`, as servers in Go do: for `pprof`, Parca and Pyroscope.
  ///
  /// The profile has the live instances and bytes that were allocated since tracking started, by type and by the
  /// calls that allocated them. A query of `seconds=30` waits as long, and profiles what was allocated meanwhile and
  /// is still alive. Parameters other than `seconds` are ignored.
  ///
  /// The work is done on a thread of its own, one profile at a time: meanwhile another request gets status 503.
  /// The profile needs memory in proportion to the objects that it counts. It names functions and types of the
  /// program, so serve it where only the program's operators can reach it.
  ///
  /// - Parameter query: the query of the request's URL, without its question mark; `nil` for none.
  /// - Returns: an answer for the server to send: a profile in the format of `profile.proto`, or one line of text.
  public static func heapProfile(query: String? = nil) async -> HeapProfileResponse {
    do throws(HeapProfileRefusal) {
      let seconds = try HeapProfileQuery(query ?? "").seconds
      return HeapProfileResponse(profile: try await HeapProfile.taken(after: seconds))
    } catch {
      return HeapProfileResponse(refusal: error)
    }
  }

  /// An answer to a request for a heap profile.
  public struct HeapProfileResponse: Sendable, Hashable {
    /// The status code of HTTP: 200; 400 for a query that cannot be understood; 503 while another profile is made,
    /// and where nothing is tracked.
    public var status: Int
    /// The header fields, with names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]
  }
}

extension LiveObjects.HeapProfileResponse {
  fileprivate init(profile: [UInt8]) {
    status = 200
    // The format is compressed itself, so there is no `content-encoding`.
    headers = [
      "content-type": "application/octet-stream",
      "content-disposition": #"attachment; filename="heap.pb.gz""#,
      "x-content-type-options": "nosniff",
    ]
    body = profile
  }

  fileprivate init(refusal: HeapProfileRefusal) {
    status = refusal.status
    headers = ["content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff"]
    body = Array("\(refusal.reason)\n".utf8)
  }
}
