import LiveObjectsCapture
import LiveObjectsSystem

/// A private folder in which every process of a run leaves its capture.
struct CaptureFolder {
  let path: String

  init() throws(ToolFailure) {
    let parent = Environment.temporaryFolder
    // Absolute: SwiftPM changes into the package's folder.
    var template = Array(((parent.resolvingLinks ?? parent) + "/liveobjects-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ToolFailure("cannot make a temporary folder in \(parent) (TMPDIR): \(SystemError(code: errno))")
    }
    path = template.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
    guard !path.contains("'"), !path.contains("%p") else {
      remove()
      throw ToolFailure("TMPDIR must not contain ' or %p: \(parent)")
    }
  }

  /// A folder that another process has created.
  init(existing path: String) { self.path = path }

  /// The LIVEOBJECTS_OPTIONS that direct captures to this folder.
  ///
  /// - Parameter prefix: what the names of the files begin with.
  func options(prefix: String = "") -> String { "output='\(path)/\(prefix)%p.capture':format=capture" }

  /// The files of captures, sorted by process id, which is usually the order of their starts.
  var captures: [String] { names(endingWith: ".capture") }

  func bytes(of name: String) throws(ToolFailure) -> [UInt8] {
    try InputFile.bytes(of: "\(path)/\(name)")
  }

  /// The strings that a file consists of, with a NUL byte between them.
  func strings(of name: String) throws(ToolFailure) -> [String] {
    try bytes(of: name).split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The files with a suffix, sorted by the numbers in their names.
  func names(endingWith suffix: String) -> [String] {
    names.filter { $0.hasSuffix(suffix) }
      .map { (key: Self.numbers(in: $0), name: $0) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map(\.name)
  }

  /// The last number in the name of a capture.
  static func processID(of file: String) -> Int { numbers(in: file).last ?? 0 }

  /// Prepares this process for reading captures: if memory runs out, the system ends it before any other, and
  /// if the user ends it, no file stays behind. Programs that are started afterwards inherit the first.
  func prepareToRead(_ signals: BlockedSignals, for outputs: Outputs) {
    try? OutputFile("/proc/self/oom_score_adj").write(Array("1000".utf8))
    signals.endWhenRequested {
      remove()
      outputs.discard()
    }
  }

  func remove() {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  private static func numbers(in name: String) -> [Int] {
    name.split { !$0.isNumber }.compactMap { Int($0) }
  }

  private var names: [String] { entries(ofFolder: path).map(\.name) }
}

/// A file without a name, for what one process hands to another.
///
/// Unlike a pipe it never fills up, never breaks, and never kills its writer.
final class TemporaryFile {
  let descriptor: CInt

  init() throws(SystemError) {
    var path = Array((Environment.temporaryFolder + "/liveobjects-XXXXXX").utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { throw SystemError(code: errno) }
    unlink(path)
    descriptor = try movingAboveStandardStreams(file)
  }

  deinit { close(descriptor) }

  /// All that the file holds.
  func contents() -> [UInt8] {
    readBytes(of: descriptor, count: max(0, Int(lseek(descriptor, 0, SEEK_END)))) ?? []
  }
}
