#if canImport(Testing)
  internal import LiveObjectsCapture
  internal import Testing

  extension TestDescription {
    /// - Parameter scope: that of its objects.
    init(of test: Test, arguments: String, scope: UInt32) {
      let place = test.sourceLocation
      self.init(
        library: .testing, scope: scope, id: test.listedID, arguments: arguments, file: place.path,
        line: UInt32(clamping: place.line), sequenceNumbers: 0..<0)
    }
  }

  extension Test {
    /// As `swift test list` spells it: without the place, which ends the library's own id.
    var listedID: String {
      let id = "\(id)"
      let place = "/\(sourceLocation.fileName):\(sourceLocation.line):\(sourceLocation.column)"
      return id.hasSuffix(place) ? String(id.dropLast(place.count)) : id
    }
  }

  extension Test.Case {
    private static let longestText = 256

    /// The values of its arguments as the library shows them, cut where they are long; empty without any.
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
      let text = values.joined(separator: ", ")
      return text.count > Self.longestText ? text.prefix(Self.longestText) + "…" : text
    }
  }

  extension SourceLocation {
    /// Of the file, as the compiler was given it.
    fileprivate var path: String {
      #if compiler(>=6.3)
        filePath
      #else
        _filePath
      #endif
    }
  }
#endif
