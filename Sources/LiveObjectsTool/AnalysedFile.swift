import Dispatch
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

  /// Reads files at the same time.
  static func all(
    of paths: [String], keepingCaptures isKept: Bool
  ) -> [Result<AnalysedFile, ToolFailure>] {
    // Safe: each file has a place of its own.
    nonisolated(unsafe) let files = UnsafeMutableBufferPointer<Result<AnalysedFile, ToolFailure>?>.allocate(
      capacity: paths.count)
    files.initialize(repeating: nil)
    defer { files.deinitialize().deallocate() }
    DispatchQueue.concurrentPerform(iterations: paths.count) { index in
      files[index] = Result { () throws(ToolFailure) in
        try AnalysedFile(paths[index], keepingCaptures: isKept)
      }
    }
    return files.map { $0! }
  }
}
