import LiveObjectsAnalysis

/// A frame as a text report shows it. Two with equal text are equal.
struct ShownFrame: Hashable {
  let function: String
  /// `Loader.swift:23`, or less where less is known.
  let location: String

  /// A call without a recorded stack trace.
  static let unknown = ShownFrame(function: "(no stack trace)", location: "")

  private init(function: String, location: String) {
    self.function = function
    self.location = location
  }

  init(_ frame: SourceFrame) {
    function = frame.function ?? "(no symbol) in \(frame.module)"
    let name = frame.file?.fileName ?? ""
    // `<compiler-generated>` is no file that a reader could open.
    let file = name.hasPrefix("<") ? "" : name
    let place = frame.line.map { file.isEmpty ? "" : "\(file):\($0)" } ?? file
    location = [place, frame.unloadedLibrary.map { "(\($0), unloaded)" } ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  var hasLine: Bool { location.contains(":") }

  /// The frame without its line.
  var withoutLine: ShownFrame {
    ShownFrame(function: function, location: location.split(separator: ":").first.map(String.init) ?? "")
  }

  /// The frames of the program's own source code, innermost first; all frames where there are none. Files of
  /// unloaded libraries may be unknown.
  static func frames(of trace: [SourceFrame]) -> [ShownFrame] {
    let own = trace.filter {
      $0.isUserCode && !$0.isCompilerGenerated && !$0.isBareMain
        && ($0.file != nil || $0.unloadedLibrary != nil)
    }
    return (own.isEmpty ? trace : own).map(ShownFrame.init)
  }
}

extension ShownFrame: Comparable {
  static func < (a: ShownFrame, b: ShownFrame) -> Bool {
    (a.location, a.function) < (b.location, b.function)
  }
}
