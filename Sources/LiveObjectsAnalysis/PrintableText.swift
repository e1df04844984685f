extension Unicode.Scalar {
  /// Shows as itself and does nothing else: no control character, nothing that ends a line or turns
  /// the direction of the text round.
  package var isPrintable: Bool {
    if isASCII { return (0x20..<0x7f).contains(value) }  // most text, and the properties are slow
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}

extension String {
  /// The text with everything made visible that would act on a terminal. Names come from the
  /// program, and a program may put anything into them.
  package var printable: String {
    guard !unicodeScalars.allSatisfy(\.isPrintable) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isPrintable {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
  }
}
