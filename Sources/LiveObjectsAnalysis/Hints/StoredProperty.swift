/// A stored property of a class, for a symbolicator to find.
public struct StoredProperty: Sendable, Hashable {
  public var name: String
  /// The class and its superclasses, the nearest first, module-qualified and without generic arguments; one of
  /// them declares the property.
  public var types: [String]
  /// Index into `Capture.images`: the one with the class; `nil` for a generic class, whose metadata is in none.
  public var image: Int?
}

/// A line of a source file.
public struct SourceLine: Sendable, Hashable {
  public var file: String
  /// Counted from 1.
  public var line: Int

  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

extension String {
  /// `Demo.Box<Demo.Item>.Part<() -> ()>` is `Demo.Box.Part`.
  package var withoutArguments: String {
    var (depth, previous) = (0, UInt8(ascii: " "))
    return String(
      decoding: utf8.filter { byte in
        defer { previous = byte }
        if byte == UInt8(ascii: "<") { depth += 1 }
        let isClosing = byte == UInt8(ascii: ">") && previous != UInt8(ascii: "-") && depth > 0
        if isClosing { depth -= 1 }
        return depth == 0 && !isClosing
      }, as: UTF8.self)
  }
}
