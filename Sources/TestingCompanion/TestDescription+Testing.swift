#if canImport(Testing)
  internal import LiveObjectsCapture
  internal import Testing

  extension TestDescription {
    private static let longestArguments = 256

    /// - Parameters:
    ///   - id: the library's own.
    ///   - arguments: cut if they are long.
    init(id: String, at place: SourceLocation, arguments: String) {
      let isLong = arguments.count > Self.longestArguments
      self.init(
        library: .testing, id: place.listedID(id),
        arguments: isLong ? arguments.prefix(Self.longestArguments) + "…" : arguments, file: place.path,
        line: UInt32(clamping: place.line), sequenceNumbers: 0..<0)
    }
  }

  extension Test.Case {
    /// The values of its arguments as the library shows them; empty without any.
    ///
    /// The library has no public way to them; where reflection does not find them, cases have the same text.
    var argumentsText: String {
      guard isParameterized else { return "" }
      let mirror = Mirror(reflecting: self)
      let arguments =
        mirror.descendant("_kind", "parameterized", "arguments") ?? mirror.descendant("arguments") ?? [Any]()
      let values = Mirror(reflecting: arguments).children.compactMap {
        Mirror(reflecting: $0.value).descendant("value").map { String(describingForTest: $0) }
      }
      return values.joined(separator: ", ")
    }
  }

  extension SourceLocation {
    /// The id of the test in the spelling of `swift test list`: without the place, which ends the library's
    /// own.
    fileprivate func listedID(_ id: String) -> String {
      let place = "/\(fileName):\(line):\(column)"
      return id.hasSuffix(place) ? String(id.dropLast(place.count)) : id
    }

    /// The path of the file, as passed to the compiler.
    fileprivate var path: String {
      #if compiler(>=6.3)
        filePath
      #else
        _filePath
      #endif
    }
  }
#endif
