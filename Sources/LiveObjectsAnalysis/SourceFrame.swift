/// One human-readable frame of a stack trace. Inlined calls give several for one address.
public struct SourceFrame: Sendable, Hashable {
  /// Demangled and without the clutter: `Loader.load(completion:)`; `nil` where no symbol is known.
  public var function: String?
  /// The module of the function or, where that is unknown, the file name of the image.
  public var module: String
  public var file: String?
  public var line: Int?
  /// Whether the frame lies in the Swift toolchain's or the system's libraries.
  public var isSystem: Bool
  /// The file name of the library that the frame lies in, where that had been unloaded by the time of the
  /// capture.
  public var unloadedLibrary: String?

  public init(function: String?, module: String, file: String?, line: Int?, isSystem: Bool) {
    self.function = function
    self.module = module
    self.file = file
    self.line = line
    self.isSystem = isSystem
  }
}
