#if canImport(Testing)
  internal import LiveObjectsCapture
  internal import Testing

  /// A test function, from its record in Swift Testing.
  struct RecordedTest: Sendable {
    /// The id in events.
    let id: String
    /// Whether its cases have records of their own.
    let isParameterized: Bool
    let place: SourceLocation
    let name: String

    /// - Returns: `nil` for a suite.
    init?(_ record: TestRecord) {
      let payload = record.payload
      guard record.kind == "test", payload.kind == "function", let id = payload.id, let name = payload.name,
        let place = payload.sourceLocation
      else { return nil }
      self.id = id
      self.name = name
      isParameterized = payload.isParameterized ?? false
      self.place = SourceLocation(
        fileID: place.fileID, filePath: place.filePath ?? place._filePath ?? place.fileID, line: place.line,
        column: place.column)
    }
  }
#endif
