import LiveObjectsAnalysis
import LiveObjectsReport
import LiveObjectsSystem

/// `swift test`, with its test processes under the preload library.
struct SwiftTest {
  /// The arguments of `swift test`.
  let arguments: [String]
  let settings: TestRunSettings
  let captures: CaptureFolder

  /// - Parameters:
  ///   - given: the arguments after the tool's own options, which a `--` may separate.
  ///   - folder: the package's.
  static func arguments(_ given: [String], _ folder: String?) -> [String] {
    var rest = given
    if let end = rest.firstIndex(of: "--") { rest.remove(at: end) }
    return (folder.map { ["--package-path", $0] } ?? []) + rest
  }

  /// Runs it to its end.
  ///
  /// SwiftPM takes a test runner from a toolset since 6.2: the tests alone are watched, and whatever `swift
  /// test` can do stays. Before that, everything that `swift test` starts gets the preload library, which is
  /// quiet in a toolchain's programs.
  ///
  /// - Returns: its end, and whether its test processes were started through the runner.
  func run(_ signals: BlockedSignals) throws(ToolFailure) -> (ending: ChildProcess.Ending, notesRuns: Bool) {
    guard arguments.runsTests else {
      return (try start([], environment: Environment.variables, signals), true)
    }
    let version = try SwiftPackageManager.version()
    if let version { Companions.warnAboutMissing(nextTo: settings.library, for: version) }
    let takesRunner = version.map { !$0.lexicographicallyPrecedes([6, 2]) } ?? true
    return (takesRunner ? try runWithRunner(signals) : try runPreloaded(signals), takesRunner)
  }

  private func runWithRunner(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    try settings.write(to: captures)
    let toolset = "\(captures.path)/toolset.json"
    try OutputFile(toolset).write(Array(toolsetText.utf8))
    return try start(["--toolset", toolset], environment: Environment.variables, signals)
  }

  private func runPreloaded(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    printError(
      "this SwiftPM does not support test runners (6.2 does): the library is preloaded into every program that swift test starts"
    )
    return try start(
      [],
      environment: PreloadLibrary.environment(
        preloading: settings.library, options: [settings.options, captures.options()]),
      signals)
  }

  /// A sentence about the reason why no test was started through this tool.
  var reasonForNoRuns: String {
    let mayNameRunner = arguments.contains { $0.hasPrefix("--toolset") || $0.hasPrefix("--swift-sdk") }
    return "swift test started no test process through this tool"
      + (mayNameRunner ? "; a test runner in your own --toolset or --swift-sdk takes its place" : "")
  }

  private func start(
    _ more: [String], environment: [String], _ signals: BlockedSignals
  ) throws(ToolFailure) -> ChildProcess.Ending {
    let command = ["swift", "test"] + more + arguments
    return try ForegroundProgram(command: command, environment: environment).run(signals)
  }

  private var toolsetText: String {
    let runner: JSONValue = .object([
      "path": .string(PreloadLibrary.tool ?? ""),
      "extraCLIOptions": .strings([TestRunnerCommand.name, captures.path]),
    ])
    return JSONValue.object(["schemaVersion": .string("1.0"), "testRunner": runner]).text
  }
}

/// The arguments of `swift test`.
extension [String] {
  /// Whether it runs tests with them. When in doubt, yes.
  var runsTests: Bool { !contains(where: Self.inquiries.contains) && !haveSubcommand }

  /// Options that make `swift test` print information instead.
  private static let inquiries: Set = [
    "-l", "--list-tests", "-h", "-help", "--help", "--help-hidden", "--version", "--show-codecov-path",
    "--show-code-coverage-path", "--show-coverage-path",
  ]

  /// After an option, it is that option's value: `--filter list`.
  private var haveSubcommand: Bool {
    indices.contains { index in
      ["list", "last"].contains(self[index]) && (index == 0 || !self[index - 1].hasPrefix("-"))
    }
  }

  /// Options that leave tests out.
  private static let selections = [
    "--filter", "--skip", "-s", "--specifier", "--test-product", "--disable-xctest",
    "--disable-swift-testing",
  ]

  /// Whether no test of the package is left out.
  var runsAllTests: Bool {
    !contains { argument in Self.selections.contains { argument == $0 || argument.hasPrefix("\($0)=") } }
  }
}

/// The `swift` that is in PATH.
enum SwiftPackageManager {
  /// - Returns: the version as numbers, `[6, 3, 1]` for instance; `nil` if it says something unknown.
  static func version() throws(ToolFailure) -> [Int]? {
    if let version = versionInPath { return version }
    return try versionFromCommand()
  }

  /// The version of the toolchain in `PATH`, from its own files.
  static var versionInPath: [Int]? { versionOfToolchain(with: ProgramSearch.path(of: "swift")) }

  /// The version in the toolchain's own files, which is faster than running `swift package`.
  ///
  /// - Parameter swift: the path of a program in a toolchain's `usr/bin`, or of another one, without a
  ///   result.
  static func versionOfToolchain(with swift: String) -> [Int]? {
    guard let folder = swift.resolvingLinks?.parentFolder, "\(folder)/swift-package".resolvingLinks != nil
    else { return nil }
    let files = interfaces.lazy.compactMap { try? InputFile.bytes(of: "\(folder)/../lib/swift/linux/\($0)") }
    guard let bytes = files.first else { return nil }
    let head = String(decoding: bytes.prefix(1_000), as: UTF8.self)
    return head.firstMatch(of: /swift-compiler-version: Swift version (\S+)/).flatMap {
      version(in: String($0.1))
    }
  }

  /// The file names in swift.org's and in Debian's toolchains.
  private static let interfaces = ["unknown", "pc"].map { vendor in
    #if arch(arm64)
      "SwiftOnoneSupport.swiftmodule/aarch64-\(vendor)-linux-gnu.swiftinterface"
    #else
      "SwiftOnoneSupport.swiftmodule/x86_64-\(vendor)-linux-gnu.swiftinterface"
    #endif
  }

  private static func versionFromCommand() throws(ToolFailure) -> [Int]? {
    do throws(SystemError) {
      let output = try TemporaryFile()
      let child = try ChildProcess(
        program: "swift", arguments: ["package", "--version"], environment: Environment.variables,
        streams: [1: output.descriptor])
      let ending = child.wait(until: .now + .seconds(60))
      guard ending == .exited(0) else { return nil }
      return version(in: String(decoding: output.contents(), as: UTF8.self))
    } catch {
      throw ToolFailure("cannot start swift: \(error); `liveobjects test` needs the toolchain in PATH")
    }
  }

  /// `Swift Package Manager - Swift 6.3.1`
  static func version(in text: String) -> [Int]? {
    guard let last = text.split(whereSeparator: \.isWhitespace).last else { return nil }
    let numbers = last.split { !$0.isNumber }.compactMap { Int($0) }
    return numbers.isEmpty ? nil : numbers
  }
}

/// The folder of a Swift package.
enum PackageFolder {
  /// The nearest folder with a manifest, of a folder and those that it is in; as SwiftPM searches.
  static func containing(_ path: String) -> String? {
    var folder = path.resolvingLinks
    while let current = folder {
      if "\(current)/Package.swift".resolvingLinks != nil { return current }
      folder = current == "/" ? nil : current.parentFolder
    }
    return nil
  }
}
