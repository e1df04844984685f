import Foundation
import TestSupport
import Testing

/// Which companion is loaded, and the message if none can be.
struct CompanionLoadingTests {
  /// A folder with a copy of the preload library, and a companion with these contents.
  ///
  /// - Parameter version: the version of Swift whose folder gets the companion that was built.
  private func installation(
    companion: String? = nil, version: String? = nil
  ) throws -> (folder: TemporaryFolder, library: String) {
    let folder = try TemporaryFolder()
    let library = folder.path("libLiveObjectsPreload.so")
    try FileManager.default.copyItem(atPath: BuiltProducts.preloadLibrary, toPath: library)
    if let version {
      let target = folder.path("swift-\(version)")
      try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: target + "/libLiveObjectsXCTestCompanion.so",
        withDestinationPath: BuiltProducts.library("LiveObjectsXCTestCompanion"))
    }
    if let companion { try folder.write(companion.utf8, as: "libLiveObjectsXCTestCompanion.so") }
    return (folder, library)
  }

  private func companionMessages(_ run: ProgramRun) -> [Substring] {
    run.standardError.split(separator: "\n").filter { $0.contains("Companion.so") }
  }

  @Test func aMissingCompanionIsReportedOnceAndTheTestsRun() throws {
    let (folder, library) = try installation()
    let run = try XCTestLeaks.run("OrderTests", library: library)
    #expect(companionMessages(run.run).count == 1)
    #expect(run.run.standardError.contains("swift build --product LiveObjectsXCTestCompanion"))
    #expect(run.failures.isEmpty)
    #expect(run.run.status == .exited(0))
    _ = folder
  }

  @Test func anIncompatibleCompanionIsReportedOnceAndNotUsed() throws {
    let (folder, library) = try installation(companion: "of another toolchain")
    let run = try XCTestLeaks.run("OrderTests", library: library)
    #expect(companionMessages(run.run).count == 1)
    #expect(run.summary == "Executed 3 tests, with 0 failures (0 unexpected)")
    #expect(run.run.status == .exited(0))
    _ = folder
  }

  /// `6.3`, the version of the Swift that runs these tests.
  private static let version = "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2)
    .joined(separator: ".")

  @Test func theCompanionForTheVersionOfSwiftIsChosen() throws {
    let (folder, library) = try installation(companion: "of another toolchain", version: Self.version)
    let run = try XCTestLeaks.run("OrderTests", library: library)
    #expect(companionMessages(run.run).isEmpty)
    #expect(run.failures.count == 1)
    _ = folder
  }

  @Test func aCompanionForAnotherVersionIsNotLoaded() throws {
    let (folder, library) = try installation(version: "5.0")
    let run = try XCTestLeaks.run("OrderTests", library: library)
    let messages = companionMessages(run.run)
    #expect(messages.count == 1)
    #expect(messages.first?.contains("for Swift \(Self.version) cannot be used: there is none") == true)
    #expect(run.failures.isEmpty)
    _ = folder
  }

  @Test func aMissingCompanionIsNotReportedWithoutTests() throws {
    let (folder, library) = try installation()
    let environment = ["LD_PRELOAD": library, "LIVEOBJECTS_OPTIONS": "output=/dev/null"]
    let binary = try XCTestLeaks.package.testBinary()
    let list = try runProgram(binary, ["--list-tests"], environment: environment)
    #expect(list.standardError.isEmpty)
    let other = try runProgram(BuiltProducts.executable("Survivors"), environment: environment)
    #expect(!other.standardError.contains("Companion"))
    _ = folder
  }

  @Test func theCompanionOfTheRunningLibraryIsChosen() throws {
    let (folder, library) = try installation()
    let run = try runProgram(
      try XCTestLeaks.package.testBinary(), ["--testing-library", "swift-testing"],
      environment: ["LD_PRELOAD": library, "LIVEOBJECTS_OPTIONS": "output=/dev/null"])
    #expect(!run.standardError.contains("XCTest"))
    _ = folder
  }

  @Test(arguments: [("none", 0), ("leaks", 1)])
  func liveobjectsRunDecidesWhetherTestsFail(failOn: String, status: Int32) throws {
    let command = ["--", try XCTestLeaks.package.testBinary(), "LeakyTests.DelegateTests"]
    let run = try runProgram(BuiltProducts.tool, ["run", "--fail-on", failOn] + command)
    #expect(run.status == .exited(status))
    #expect(run.standardOutput.contains("error: ") == (status == 1))
    #expect(run.standardError.contains("retain cycle: "))
  }

  @Test func aCompanionDoesNotChangeOutputAndStatus() throws {
    let plain = try runProgram(try XCTestLeaks.package.testBinary(), ["LeakyTests.OutcomeTests"])
    let watched = try XCTestLeaks.run("OutcomeTests").run
    #expect(Self.withoutTimes(watched.standardOutput) == Self.withoutTimes(plain.standardOutput))
    #expect(watched.standardError == plain.standardError)
    #expect(watched.status == plain.status)
  }

  /// Tests run in parallel, so that lines have no order.
  @Test(arguments: ["CleanTests", "OutcomeTests", "NoSuchTest"])
  func aCompanionDoesNotChangeOutputAndStatusOfSwiftTesting(filter: String) throws {
    let binary = try TestingLeaks.package.testBinary()
    let arguments = ["--testing-library", "swift-testing", "--filter", filter]
    let plain = try runProgram(binary, arguments, environment: ["NO_COLOR": "1"])
    let watched = try TestingLeaks.run(filter, options: "failon=none").run
    #expect(
      Self.withoutTimes(watched.standardError).sorted() == Self.withoutTimes(plain.standardError).sorted())
    #expect(watched.standardOutput == plain.standardOutput)
    #expect(watched.status == plain.status)
  }

  private static func withoutTimes(_ output: String) -> [String] {
    output.split(separator: "\n").map { line in
      String(line.replacing(/\d+\.\d+|\d{4}-\d\d-\d\d \d\d:\d\d:/, with: ""))
    }
  }

  @Test func withoutCallsOfSwiftTestingLeaksAreReportedForTheProcess() throws {
    let run = try TestingLeaks.run("ParallelTests", with: SilentTestingLibrary())
    let lines = run.run.standardError.split(separator: "\n").filter { $0.hasPrefix("LiveObjects: ") }
    #expect(lines.count == 1 && lines.first?.contains("leaks are reported for the process") == true)
    #expect(run.leaks.isEmpty && run.report.tests.isEmpty)
    #expect(run.report.findings.map(\.test) == [nil, nil])
    #expect(run.run.status == .exited(0))
  }
}
