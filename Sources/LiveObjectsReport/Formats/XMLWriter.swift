/// Writes an XML 1.0 document.
struct XMLWriter {
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private var depth = 0

  /// An element with others in it.
  mutating func element(
    _ name: String, _ attributes: [(String, String)], content: (inout XMLWriter) -> Void
  ) {
    open(name, attributes)
    let start = text.utf8.count
    text += ">\n"
    depth += 1
    content(&self)
    depth -= 1
    if text.utf8.count == start + 2 {
      text.removeLast(2)
      text += "/>\n"
    } else {
      text += "\(indentation)</\(name)>\n"
    }
  }

  /// An element with text.
  mutating func element(_ name: String, _ attributes: [(String, String)], text content: String) {
    open(name, attributes)
    text += content.isEmpty ? "/>\n" : ">\(Self.escaped(content, newline: "\n"))</\(name)>\n"
  }

  private mutating func open(_ name: String, _ attributes: [(String, String)]) {
    text += "\(indentation)<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
  }

  private var indentation: String { String(repeating: "  ", count: depth) }

  /// Makes visible what XML forbids: control characters, and the two that are no characters. Ends of lines stay.
  ///
  /// - Parameter newline: the end of a line; in an attribute, a reader takes a plain one for a space.
  private static func escaped(_ text: String, newline: String = "&#10;") -> String {
    guard text.unicodeScalars.contains(where: isSpecial) else { return text }
    return text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n": escaped += newline
      case _ where isSpecial(scalar): escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isPrintable || "&<>\"".unicodeScalars.contains(scalar) || scalar.value & 0xfffe == 0xfffe
  }
}
