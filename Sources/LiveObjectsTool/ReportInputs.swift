import Dispatch
import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSymbolication

/// The captures and JSON reports that one report is made of. Two captures at a time are in memory.
struct ReportInputs {
  private var builder: ReportBuilder
  private var reports: [Report] = []
  /// The captures as they are, if they are kept.
  private(set) var streams: [[UInt8]] = []
  private let keepsCaptures: Bool
  /// Sentences about files that could not be read in full, and about what could not be done.
  private(set) var failures: [String] = []

  /// - Parameter keepsCaptures: whether `streams` is wanted.
  init(binaries: String? = nil, origin: CaptureOrigin = .unknown, keepsCaptures: Bool) {
    builder = ReportBuilder(binaries: binaries, origin: origin)
    self.keepsCaptures = keepsCaptures
  }

  /// Reads files. Each is analysed while the one before gets its names. One that cannot be read is left out.
  ///
  /// - Parameter paths: `-` is standard input.
  mutating func add(_ paths: [String]) throws(ToolFailure) {
    var next = paths.first.map(pending)
    for (index, path) in paths.enumerated() {
      guard let file = next?.value else { return }
      next = paths.indices.contains(index + 1) ? pending(paths[index + 1]) : nil
      switch file {
      case .success(let file): try add(file, of: path)
      case .failure(let failure): failures.append(failure.description)
      }
    }
  }

  private func pending(_ path: String) -> Pending<Result<AnalysedFile, ToolFailure>> {
    Pending { [keepsCaptures] in
      Result { () throws(ToolFailure) in try AnalysedFile(path, keepingCaptures: keepsCaptures) }
    }
  }

  private mutating func add(_ file: AnalysedFile, of path: String) throws(ToolFailure) {
    switch file {
    case .captures(let captures, let failure, let bytes):
      for capture in captures { builder.add(capture) }
      if let failure { failures.append("\(path): \(failure)") }
      if keepsCaptures { streams.append(bytes) }
    case .report(let report):
      guard !keepsCaptures else { throw ToolFailure("\(path) is a report: --capture needs captures") }
      reports.append(report)
    case .noReport(let error):
      guard !keepsCaptures else { throw ToolFailure("\(path) is a report: --capture needs captures") }
      failures.append("\(path) is no report: expected \(error.expectation) at \(error.place)")
    }
  }

  /// The report on all that could be read.
  ///
  /// - Parameter output: makes a report with the command.
  func report(_ output: OutputOptions) throws(ToolFailure) -> Report {
    guard !(builder.captures.isEmpty && reports.isEmpty) else { throw ToolFailure(failures[0]) }
    var builder = builder
    for failure in failures { builder.add(lost: failure) }
    guard !reports.isEmpty else { return output.report(of: builder) }
    let ofCaptures = builder.captures.isEmpty && failures.isEmpty ? [] : [builder.report()]
    return output.report(Report.merging(ofCaptures + reports))
  }

  /// Restricts a report, and notes what the filter does not match.
  mutating func restrict(_ report: inout Report, to filter: ReportFilter) {
    failures += filter.mistakes(in: report)
    report.restrict(to: filter)
  }

  /// The reason why nothing was watched; `nil` if something was, or no capture says why.
  func reasonIfUnwatched(_ report: Report) -> UnwatchedReason? {
    report.tracking.wasWatched ? nil : UnwatchedReason(of: builder.captures)
  }

  /// Writes the report on these files, and prints what they lack.
  ///
  /// - Returns: the exit status.
  func write(_ report: Report, to outputs: Outputs) -> Int32 {
    outputs.warnAboutMissingEvaluation(report)
    let isWritten = outputs.write(report, captures: streams)
    if !report.tracking.wasWatched {
      printError("nothing was watched: \(reasonIfUnwatched(report)?.description ?? "no reason given")")
    }
    for failure in failures { printError(failure) }
    return failures.isEmpty && isWritten ? ExitStatus.status(for: report) : ExitStatus.usage
  }
}

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

/// A value that another thread works out while the caller goes on.
final class Pending<Value: Sendable>: @unchecked Sendable {
  private let group = DispatchGroup()
  /// Written before the group is left, read after that.
  private var result: Value?

  init(_ work: @escaping @Sendable () -> Value) {
    DispatchQueue.global().async(group: group) { self.result = work() }
  }

  /// Waits for it.
  var value: Value {
    group.wait()
    return result!
  }
}
