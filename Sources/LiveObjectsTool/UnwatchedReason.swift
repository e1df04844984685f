import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSymbolication
import LiveObjectsSystem

/// The reason why nothing was watched, as one human-readable line.
struct UnwatchedReason: CustomStringConvertible {
  let description: String

  /// The reason that the recorder itself gave; `nil` without any capture.
  init?(of captures: [Capture]) {
    guard let capture = captures.first(where: { $0.tracking.state == .blind }) ?? captures.first
    else { return nil }
    let program = capture.process.executable
    switch capture.tracking.state {
    case .noRuntime: description = "\(program) contains no Swift runtime"
    case .blind, .ready, .tracking:
      description = capture.tracking.notes.first ?? "\(program) was not tracked"
    }
  }

  /// The reason why a program wrote no capture, from its file and its end.
  ///
  /// - Parameter lost: sentences about processes that were tracked and wrote no capture.
  init(ofSilent program: String, _ ending: ChildProcess.Ending, lost: [String]) {
    if lost.isEmpty, let reason = Self.reason(inFile: ProgramSearch.path(of: program)) {
      description = "\(program) \(reason)"
    } else if case .signaled(let signal) = ending {
      description = "\(program) was killed by signal \(signal) before it could report"
    } else {
      description =
        lost.first ?? "\(program) was not tracked: the preload library is not active in it"
    }
  }

  private static func reason(inFile path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return "cannot be read: \(SystemError(code: errno))" }
    if status.st_mode & (S_ISUID | S_ISGID) != 0 {
      return "is set-user-ID or set-group-ID: the system preloads nothing into such programs"
    }
    guard let file = ELFFile(path: path) else {
      return "is no Swift program, and nothing that it started is one"
    }
    if file.interpreter == nil {
      return "is linked statically, without a dynamic loader: nothing can be preloaded into it"
    }
    guard file.holdsSwift else { return "contains no Swift code" }
    let folder = (path.resolvingLinks ?? path).parentFolder
    let isShared = ["/usr/bin", "/usr/local/bin", "/bin"].contains(folder)
    return !isShared && access(folder + "/swift-frontend", F_OK) == 0 ? "belongs to the Swift toolchain" : nil
  }
}

extension Report.Tracking {
  /// Adds the reason to the notes of the report, unless it is there.
  mutating func add(_ reason: UnwatchedReason) {
    if !notes.contains(where: { $0.contains(reason.description) }) { notes.append(reason.description) }
  }
}
