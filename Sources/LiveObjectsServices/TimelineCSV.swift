import LiveObjectsAnalysis
import LiveObjectsReport

/// A timeline as comma-separated values (RFC 4180): a line for each moment and type.
package enum TimelineCSV {
  package static func render(_ timeline: Timeline) -> String {
    var text = "time,type,instances,bytes\r\n"
    for entry in timeline.entries {
      for count in entry.counts {
        text += "\(Int(entry.time * 1000)),\(quoted(count.type)),\(count.instances),\(count.bytes)\r\n"
      }
    }
    return text
  }

  /// In quotes, since generic types have commas. A name that a spreadsheet would take for a formula gets an apostrophe.
  private static func quoted(_ name: String) -> String {
    let name = name.printable
    let isFormula = name.unicodeScalars.first.map { "=+-@".unicodeScalars.contains($0) } ?? false
    return "\"" + (isFormula ? "'" : "") + name.escaping(["\"": "\"\""]) + "\""
  }
}
