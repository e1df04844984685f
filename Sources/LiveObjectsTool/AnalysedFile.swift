import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport

/// What a report needs of one file: all work that takes long, and that needs no other file.
enum AnalysedFile: Sendable {
  /// The captures that could be read, why no more could, and the bytes that they take, if these are kept.
  case captures([UnnamedAnalysis], CaptureError?, [UInt8])
  case report(Report)
  case noReport(JSONError)

  /// - Parameter path: `-` is standard input.
  init(_ path: String, keepingCaptures isKept: Bool) throws(ToolFailure) {
    switch try InputFile.content(of: path, isKept: isKept) {
    case .captures(let readable, let bytes):
      self = .captures(readable.captures.map(ReportBuilder.analysis(of:)), readable.failure, bytes)
    case .report(let bytes):
      do {
        self = .report(try JSONReportReader.report(in: bytes))
      } catch {
        self = .noReport(error)
      }
    }
  }
}
