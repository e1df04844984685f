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

  /// The line that stands for a cause; `nil` where none is known.
  ///
  /// - Parameter test: the place of a test that left the objects behind.
  func place(of cause: Cause, testedAt test: SourcePlace?) -> JSONValue? {
    (cause.place(in: run) ?? test).map { .object(["physicalLocation": location(at: $0)]) }
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
      "physicalLocation": hint.flatMap { SourcePlace($0, run) }.map(location) ?? .absent,
    ])
  }

  private func location(at place: SourcePlace) -> JSONValue {
    .object([
      "artifactLocation": artifact(place.file), "region": .object(["startLine": .integer(place.line)]),
    ])
  }

  private func artifact(_ file: String) -> JSONValue {
    let encoded = Self.encoded(file)
    guard !file.hasPrefix("/") else { return .object(["uri": .string("file://\(encoded)")]) }
    return .object(["uri": .string(encoded), "uriBaseId": .string(Self.base)])
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
