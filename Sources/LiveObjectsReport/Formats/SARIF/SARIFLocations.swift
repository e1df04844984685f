import LiveObjectsAnalysis

/// The places of findings in source code, as SARIF writes them.
struct SARIFLocations {
  private static let base = "SRCROOT"

  private let run: Report.Run

  init(of run: Report.Run) { self.run = run }

  /// The folder that places are relative to.
  var bases: JSONValue {
    guard let folder = run.folder else { return .absent }
    return .object([Self.base: .object(["uri": .string("file://\(Self.encoded(folder))/")])])
  }

  /// The line to change, else the line that allocated the objects; `nil` where none is known.
  func place(of finding: Finding) -> JSONValue? {
    let hints = finding.hint?.places.lazy.compactMap { place(place: $0) }
    let calls = finding.allocatedAt.lazy.flatMap(\.frames).filter(\.isOwn)
      .compactMap { place(file: $0.file, line: $0.line) }
    return (hints?.first ?? calls.first).map { .object(["physicalLocation": $0]) }
  }

  /// One step of a path, with the line of its reference where a hint names it.
  func location(of step: Finding.PathStep, in finding: Finding) -> JSONValue {
    let isElement = step.reference.isEmpty || step.reference.hasPrefix("[")
    let reference = isElement ? step.type + step.reference : "\(step.type).\(step.reference)"
    let hint = finding.hint?.places.first {
      $0.name == reference || ($0.captured != nil && $0.name == step.type)
    }
    return .object([
      "message": .sarifMessage(reference.printable),
      "physicalLocation": hint.flatMap(place(place:)) ?? .absent,
    ])
  }

  private func place(place: Finding.Hint.Place) -> JSONValue? {
    self.place(file: place.file, line: place.line)
  }

  private func place(file: String?, line: Int?) -> JSONValue? {
    // `<compiler-generated>` and macro expansions are no files.
    guard let file, let line, line > 0, !file.fileNameIsMadeUp else { return nil }
    return .object([
      "artifactLocation": artifact(file), "region": .object(["startLine": .integer(line)]),
    ])
  }

  private func artifact(_ file: String) -> JSONValue {
    let relative = run.relative(file)
    guard !relative.hasPrefix("/") else { return .object(["uri": .string("file://\(Self.encoded(file))")]) }
    return .object(["uri": .string(Self.encoded(relative)), "uriBaseId": .string(Self.base)])
  }

  /// Percent-encodes all but what every part of a URI may contain, and slashes.
  private static func encoded(_ path: String) -> String {
    path.utf8.reduce(into: "") { encoded, byte in
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789-._~/".unicodeScalars.contains(scalar))
      {
        encoded.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }
}

extension String {
  /// Whether the compiler made the name up: no such file exists.
  fileprivate var fileNameIsMadeUp: Bool { contains("<") || contains("@__swiftmacro_") }
}
