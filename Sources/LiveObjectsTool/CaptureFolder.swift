import LiveObjectsCapture
import LiveObjectsReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A private folder in which every process of a run leaves its capture.
struct CaptureFolder {
  private let path: String

  init() throws(ToolFailure) {
    var template = Array(((Environment["TMPDIR"] ?? "/tmp") + "/liveobjects-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ToolFailure("cannot make a temporary folder: \(SystemError(code: errno))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What LIVEOBJECTS_OPTIONS must say for captures to come here.
  var options: String { "output='\(path)/%p.capture':format=capture" }

  /// Decodes all captures, and tells which processes there is none of.
  func read() -> CollectedCaptures {
    var collected = CollectedCaptures()
    for name in names {
      let process = "process \(name.prefix { $0 != "." })"
      do {
        let bytes = try InputFile.bytes(of: "\(path)/\(name)")
        if bytes.isEmpty {
          // Made when the process started, to be filled when it ends.
          collected.lost.append("\(process) ended before it could report")
          continue
        }
        collected.captures += try Capture.decodeAll(bytes)
        collected.streams.append(bytes)
      } catch {
        collected.lost.append("\(process): \(error)")
      }
    }
    return collected
  }

  func remove() {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The files, in the order of process ids.
  private var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(entry.name)
    }
    return names.filter { $0.hasSuffix(".capture") }
      .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }
}

/// The captures of a run.
struct CollectedCaptures {
  var captures: [Capture] = []
  /// The bytes that could be decoded.
  var streams: [[UInt8]] = []
  /// The processes without one, and why, a sentence each.
  var lost: [String] = []
}
