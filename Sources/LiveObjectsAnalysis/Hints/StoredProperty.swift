/// A stored property of a class, for a symbolicator to find.
public struct StoredProperty: Sendable, Hashable {
  public var name: String
  /// The class and its superclasses, the nearest first, module-qualified and without generic arguments; one of
  /// them declares the property.
  public var types: [String]
  /// Index into `Capture.images`: the one with the class; `nil` for a generic class, whose metadata is in none.
  public var image: Int?

  public init(name: String, types: [String], image: Int?) {
    self.name = name
    self.types = types
    self.image = image
  }
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
