import LiveObjectsAnalysis
import LiveObjectsCapture

/// Names frames from a table, and records the requests.
public final class TableSymbolicator: Symbolicator {
  private var names: [Frame: [SourceFrame]] = [:]
  private var variables: [Frame: String] = [:]
  /// By class and name.
  private var properties: [String: SourceLine] = [:]
  public private(set) var requests: [Set<Frame>] = []
  public private(set) var prepared: Set<Frame> = []

  public var modules: [String: ModuleSource] = [:]
  /// Properties in which any line stores what a call returns, with the type or function: `view = View`.
  public var stored: Set<String> = []

  public init() {}

  /// - Parameter frames: innermost (most inlined) first.
  public func define(_ offset: UInt64, image: Int? = 0, _ frames: [SourceFrame]) {
    names[Frame(image: image, offset: offset)] = frames
  }

  public func define(variable offset: UInt64, image: Int? = 0, _ name: String) {
    variables[Frame(image: image, offset: offset)] = name
  }

  /// - Parameter name: with the class that declares it: `Demo.Loader.delegate`.
  public func define(property name: String, _ file: String, _ line: Int) {
    properties[name] = SourceLine(file: file, line: line)
  }

  public func prepare(_ frames: Set<Frame>, of capture: Capture) { prepared.formUnion(frames) }

  public func name(variables places: Set<Frame>, of capture: Capture) -> [Frame: String] {
    variables.filter { places.contains($0.key) }
  }

  public func declarations(
    of properties: Set<StoredProperty>, in capture: Capture
  ) -> [StoredProperty: SourceLine] {
    let lines = properties.map { property in
      (property, property.types.lazy.compactMap { self.properties["\($0).\(property.name)"] }.first)
    }
    return Dictionary(uniqueKeysWithValues: lines).compactMapValues { $0 }
  }

  public func stores(_ callee: String, in property: String, at line: SourceLine) -> Bool {
    stored.contains("\(property) = \(callee)")
  }

  public func sources(ofModules modules: Set<String>, in capture: Capture) -> [String: ModuleSource] {
    self.modules.filter { modules.contains($0.key) }
  }

  public func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]] {
    requests.append(frames)
    return names.filter { frames.contains($0.key) }
  }
}

extension SourceFrame {
  /// A frame of the program under test.
  public static func user(
    _ function: String?, module: String = "Demo", file: String? = "/src/Demo/Loader.swift", line: Int? = 1
  ) -> SourceFrame {
    SourceFrame(function: function, module: module, file: file, line: line, isSystem: false)
  }

  /// A frame of the toolchain's or the system's libraries.
  public static func system(_ function: String?, module: String = "libswiftCore.so") -> SourceFrame {
    SourceFrame(function: function, module: module, file: nil, line: nil, isSystem: true)
  }
}
