import LiveObjectsCapture

/// Turns addresses into functions, files and lines.
public protocol Symbolicator {
  /// Receives all frames that will be requested, so that it can name them in one go.
  func prepare(_ frames: Set<Frame>, of capture: Capture)

  /// - Returns: for every requested frame, its source frames, innermost (most inlined) first; never empty.
  func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]]

  /// Names variables by their addresses: `static Registry.shared`, `global cache`.
  ///
  /// - Returns: the names of those that are known.
  func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String]

  /// Finds the declarations of stored properties.
  ///
  /// - Returns: the lines of those that are known.
  func declarations(of properties: Set<StoredProperty>, in capture: Capture) -> [StoredProperty: SourceLine]

  /// Looks for a call whose result is stored straight into a property, so that nothing else owned it before: in a line,
  /// and as `child.parent = Parent()` in all files of its folder.
  ///
  /// - Parameters:
  ///   - callee: a type or function, without its module and the types around it.
  ///   - line: calls it.
  /// - Returns: `false` where the source cannot be read.
  func stores(_ callee: String, in property: String, at line: SourceLine) -> Bool

  /// Finds a source file of each module.
  ///
  /// - Returns: what is known of them.
  func sources(ofModules modules: Set<String>, in capture: Capture) -> [String: ModuleSource]
}

/// Where the functions of a module are written.
public enum ModuleSource: Sendable, Hashable {
  /// One of its files.
  case file(String)
  /// All of them are the compiler's: the module has types and no other code in the program.
  case generated
}

extension Symbolicator {
  public func prepare(_ frames: Set<Frame>, of capture: Capture) {}

  public func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String] { [:] }

  public func declarations(
    of properties: Set<StoredProperty>, in capture: Capture
  ) -> [StoredProperty: SourceLine] { [:] }

  public func stores(_ callee: String, in property: String, at line: SourceLine) -> Bool { false }

  public func sources(ofModules modules: Set<String>, in capture: Capture) -> [String: ModuleSource] { [:] }
}

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

  public init(function: String?, module: String, file: String?, line: Int?, isSystem: Bool) {
    self.function = function
    self.module = module
    self.file = file
    self.line = line
    self.isSystem = isSystem
  }
}

/// Names frames by their image alone: for captures without a better symbolicator.
public struct ImageNames: Symbolicator {
  public init() {}

  public func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]] {
    Dictionary(uniqueKeysWithValues: frames.map { ($0, [Self.name($0, of: capture)]) })
  }

  static func name(_ frame: Frame, of capture: Capture) -> SourceFrame {
    let image = capture.image(of: frame)
    return SourceFrame(
      function: nil, module: image?.name ?? "unknown", file: nil, line: nil,
      isSystem: image?.isSystem ?? false)
  }
}
