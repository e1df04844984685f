import LiveObjectsAnalysis

/// A frame as a text report shows it. Two that look the same are the same here.
struct ShownFrame: Hashable {
  let function: String
  /// `Loader.swift:23`, or less where less is known.
  let location: String

  /// Stands for a call of which nothing was recorded.
  static let unknown = ShownFrame(function: "(no stack trace)", location: "")

  private init(function: String, location: String) {
    self.function = function
    self.location = location
  }

  init(_ frame: SourceFrame) {
    function = frame.function ?? "(no symbol) in \(frame.module)"
    let name = frame.file?.fileName ?? ""
    // `<compiler-generated>` leads nobody anywhere.
    let file = name.hasPrefix("<") ? "" : name
    let place = frame.line.map { file.isEmpty ? "" : "\(file):\($0)" } ?? file
    location = [place, frame.unloadedLibrary.map { "(\($0), unloaded)" } ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  var hasLine: Bool { location.contains(":") }

  /// The same in a file of which the line is not known.
  var withoutLine: ShownFrame {
    ShownFrame(function: function, location: location.split(separator: ":").first.map(String.init) ?? "")
  }

  /// The program's own frames that its author wrote, innermost first; where there are none, whatever is known. Of
  /// libraries that were unloaded the author may have no files.
  static func frames(of trace: [SourceFrame]) -> [ShownFrame] {
    let own = trace.filter {
      $0.isUsers && !$0.isCompilers && !$0.isBareMain && ($0.file != nil || $0.unloadedLibrary != nil)
    }
    return (own.isEmpty ? trace : own).map(ShownFrame.init)
  }
}

extension ShownFrame: Comparable {
  static func < (a: ShownFrame, b: ShownFrame) -> Bool {
    (a.location, a.function) < (b.location, b.function)
  }
}
