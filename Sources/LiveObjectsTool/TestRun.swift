import LiveObjectsReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One process of `swift test` that runs tests, as the runner noted it in the folder of captures before it
/// started.
struct TestRun {
  private static let suffix = ".run"

  /// The first part of the names of its captures and its children's.
  let label: String
  /// The test binary, by an absolute path.
  let program: String
  let arguments: [String]

  /// The runs that were noted in a folder, in the order of their process ids.
  static func all(in folder: CaptureFolder) -> [TestRun] {
    folder.names(endingWith: suffix).compactMap { name in
      guard let bytes = try? folder.bytes(of: name) else { return nil }
      return TestRun(label: String(name.dropLast(suffix.count)), note: bytes)
    }
  }

  /// Notes a run of this process.
  ///
  /// - Parameter command: the test binary and its arguments.
  init(noting command: [String], in folder: CaptureFolder) throws(ToolFailure) {
    // SwiftPM gives a path that starts in the package's folder, and makes that the current one.
    program = command[0].resolvingLinks ?? command[0]
    arguments = Array(command.dropFirst())
    label = try Self.note(Array(([program] + arguments).joined(separator: "\0").utf8), in: folder)
  }

  private init(label: String, note: [UInt8]) {
    let command = note.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    self.label = label
    program = command[0]
    arguments = Array(command.dropFirst())
  }

  /// A process id may come again in a long run; a label may not.
  private static func note(_ bytes: [UInt8], in folder: CaptureFolder) throws(ToolFailure) -> String {
    let process = "\(getpid())"
    for label in [process] + (2...99).map({ "\(process)-\($0)" }) {
      if let file = try OutputFile(new: "\(folder.path)/\(label)\(suffix)") {
        try file.write(bytes)
        return label
      }
    }
    throw ToolFailure("cannot record process \(process) in \(folder.path)")
  }

  /// The first part of the names of its captures.
  var capturePrefix: String { label + "." }

  /// The file of its own capture, not that of a child.
  var capture: String { "\(capturePrefix)\(process).capture" }

  private var process: Substring { label.prefix { $0 != "-" } }
}

extension TestRun: CustomStringConvertible {
  /// `the XCTest run of SampleTests.xctest (process 12, SampleTests.ObserverTests/testLeaves)`
  var description: String {
    let library = isOfSwiftTesting ? "Swift Testing" : "XCTest"
    return "the \(library) run of \(program.fileName) (process \(process)\(selection))"
  }

  private var isOfSwiftTesting: Bool { arguments.contains("swift-testing") }

  /// The selected XCTests; SwiftPM passes `''` for none.
  private var selection: String {
    guard !isOfSwiftTesting, arguments.count == 1, arguments[0] != "''" else { return "" }
    let tests = arguments[0].split(separator: ",")
    return tests.first.map { ", \($0)" + (tests.count > 1 ? " and \(tests.count - 1) more" : "") } ?? ""
  }
}

extension TestRun {
  /// Whether a test binary with these arguments lists its tests, and runs none (as `only_lists_tests` in
  /// the preload library, which is not active there).
  static func onlyLists(_ arguments: [String]) -> Bool {
    let lists = ["--dump-tests-json", "--list-tests", "-l"]
    return arguments.first == "list" || arguments.contains(where: lists.contains)
  }
}
