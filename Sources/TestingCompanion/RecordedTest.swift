#if canImport(Testing)
  internal import LiveObjectsCapture
  internal import Testing

  /// A test function, by the record in which Swift Testing names it.
  struct RecordedTest: Sendable {
    /// As events refer to it.
    let id: String
    /// Its cases have records of their own.
    let isParameterized: Bool
    let place: SourceLocation
    let name: String

    /// - Returns: `nil` for what is no test function.
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
