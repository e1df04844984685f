import LiveObjectsReport
import LiveObjectsSystem

/// `liveobjects test-runner FOLDER BINARY ARGUMENTS`: what SwiftPM starts instead of a test binary.
///
/// It notes the run and becomes the binary: same process, same streams, same signals. With `--parallel` it starts for
/// each test, so that it does without the parser of arguments.
enum TestRunnerCommand {
  static let name = "test-runner"

  /// - Parameter arguments: the folder of captures, with the settings; the test binary and its arguments.
  /// - Throws: a sentence, if the binary cannot be started. Else it does not return.
  static func run(_ arguments: [String]) throws(ToolFailure) {
    guard arguments.count > 1 else { throw ToolFailure("\(name) is for `liveobjects test` alone") }
    let (command, passed) = (Array(arguments.dropFirst()), Array(arguments.dropFirst(2)))
    let environment =
      TestRun.onlyLists(passed) ? Environment.variables : try watchedEnvironment(of: command, arguments[0])
    let error = ChildProcess.become(program: command[0], arguments: passed, environment: environment)
    throw ToolFailure("cannot start \(command[0]): \(error)")
  }

  private static func watchedEnvironment(
    of command: [String], _ captures: String
  ) throws(ToolFailure) -> [String] {
    let folder = CaptureFolder(existing: captures)
    let settings = try TestRunSettings(readFrom: folder)
    let run = try TestRun(noting: command, in: folder)
    return PreloadLibrary.environment(
      preloading: settings.library, options: [settings.options, folder.options(prefix: run.capturePrefix)])
  }
}

/// The settings that `liveobjects test` passes to the runner, in a file: SwiftPM prints the runner's
/// arguments if a test process crashes.
struct TestRunSettings {
  private static let file = "settings"

  /// The path of the preload library.
  var library: String
  /// The options of the library.
  var options: String
}

extension TestRunSettings {
  init(readFrom folder: CaptureFolder) throws(ToolFailure) {
    let parts = try folder.strings(of: Self.file)
    guard parts.count == 2 else { throw ToolFailure("\(folder.path) is no folder of `liveobjects test`") }
    self.init(library: parts[0], options: parts[1])
  }

  func write(to folder: CaptureFolder) throws(ToolFailure) {
    try OutputFile("\(folder.path)/\(Self.file)").write(Array("\(library)\0\(options)".utf8))
  }
}

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
      guard let command = try? folder.strings(of: name) else { return nil }
      return TestRun(label: String(name.dropLast(suffix.count)), command: command)
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

  private init(label: String, command: [String]) {
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
  /// Whether a test binary with these arguments lists its tests, and runs none (as
  /// `liveobj_arguments_only_list_tests` of the recorder, which is not active there).
  static func onlyLists(_ arguments: [String]) -> Bool {
    let lists = ["--dump-tests-json", "--list-tests", "-l"]
    return arguments.first == "list" || arguments.contains(where: lists.contains)
  }
}
