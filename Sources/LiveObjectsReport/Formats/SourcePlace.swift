import LiveObjectsAnalysis

/// A line of the program that stands for a cause, in formats that show findings next to the source.
struct SourcePlace: Hashable {
  /// Relative to the folder of the run, if it is in there.
  let file: String
  let line: Int
}

extension Cause {
  /// The line to change, if a hint names one; else the innermost line of the program's own that allocated
  /// the objects.
  func place(in run: Report.Run) -> SourcePlace? {
    let hints = variants.lazy.compactMap { $0.hint?.places.lazy.compactMap { SourcePlace($0, run) }.first }
    return hints.first ?? callPlace(in: run)
  }

  private func callPlace(in run: Report.Run) -> SourcePlace? {
    var first: SourcePlace?
    for frame in variants.lazy.flatMap(\.allocatedAt).flatMap(\.frames) {
      // The rest is asked last: it reads the name of the function.
      guard let place = SourcePlace(frame.file, frame.line, run), first == nil || place.isInPackage,
        frame.isUserCode, !frame.isCompilerGenerated
      else { continue }
      if place.isInPackage { return place }
      first = place
    }
    return first
  }
}

extension SourcePlace {
  init?(_ place: Finding.Hint.Place, _ run: Report.Run) { self.init(place.file, place.line, run) }

  /// - Returns: `nil` if the file is one that the compiler made up, as `<compiler-generated>` and those of macros.
  init?(_ file: String?, _ line: Int?, _ run: Report.Run) {
    guard let file, let line, line > 0, !file.contains("<"), !file.contains("@__swiftmacro_") else {
      return nil
    }
    self.init(file: run.relative(file), line: line)
  }

  /// Whether the file is in the folder of the run, and not in that of a dependency.
  fileprivate var isInPackage: Bool { !file.hasPrefix("/") && !file.hasPrefix(".build/") }
}
