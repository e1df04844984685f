import ArgumentParser
import LiveObjectsReport

/// `liveobjects baseline [OPTIONS OF test] [ARGUMENTS OF swift test]`
struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Runs the tests and records their leaks as known, so that only new ones fail.",
    discussion: """
      Writes \(Baseline.defaultFile) in the package's folder, which `liveobjects test` reads, with a line for each \
      finding that would fail: look through it, and commit it. Tests that do not run keep their lines. Takes all \
      options of `liveobjects test` and of `swift test`.
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("Options of `liveobjects test` and of `swift test`.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws {
    if ["-h", "-help", "--help"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    var test = try TestCommand.parse(arguments)
    if test.acceptance.writeBaseline == nil {
      guard let folder = PackageFolder.containing(test.packagePath ?? ".") else {
        throw ToolFailure("there is no package here: no Package.swift in this folder and those above it")
      }
      test.acceptance.writeBaseline = "\(folder)/\(Baseline.defaultFile)"
    }
    try test.run()
  }
}
