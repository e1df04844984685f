import TestSupport
import Testing

/// Where Swift Testing does not show where its test cases begin and end, its records do.
struct TestingRecordsTests {
  private let library: SilentTestingLibrary

  init() throws {
    library = try SilentTestingLibrary()
  }

  private func run(_ filter: String, _ arguments: [String] = [], options: String = "") throws -> TestingRun {
    try TestingLeaks.run(filter, arguments, options: options, with: library)
  }

  /// What the issues say: where they stand, and what left the leak behind.
  private func blamed(_ run: TestingRun) -> [String] {
    run.leaks.compactMap { leak in
      leak.explanation.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /note: left behind by (.*)/).map { "\(leak.place) \($0.1)" }
      }.first
    }.sorted()
  }

  @Test func thatIsSaidOnce() throws {
    let run = try run("CleanTests")
    let lines = run.run.standardError.split(separator: "\n").filter { $0.hasPrefix("LiveObjects: ") }
    #expect(lines.count == 1 && lines.first?.contains("so its records tell") == true)
    #expect(run.report.outcomes(of: "LeakyTests.CleanTests/") == ["passed"])
    #expect(run.report.findings.isEmpty)  // nor do we say anything of ourselves
    #expect(run.run.status == .exited(0))
  }

  @Test func whereTheyCannotBeHadEitherTheReportIsOnTheProcess() throws {
    let library = try SilentTestingLibrary(hidesEntryPoint: true)
    let run = try TestingLeaks.run("ParallelTests", with: library)
    let lines = run.run.standardError.split(separator: "\n").filter { $0.hasPrefix("LiveObjects: ") }
    #expect(lines.count == 1 && lines.first?.contains("leaks are reported for the process") == true)
    #expect(run.leaks.isEmpty && run.report.tests.isEmpty)
    #expect(run.report.findings.map(\.test) == [nil, nil])
    #expect(run.run.status == .exited(0))
  }

  @Test func aLeakIsAnIssueThatNamesItsTest() throws {
    let run = try run("ParallelTests")
    let expected = try ["A", "B"].map { name in
      let place = try TestingLeaks.declaration(of: "@Test func leaks\(name)()", in: "ParallelTests.swift")
      return "\(place ?? "") leaks\(name)()"
    }
    #expect(blamed(run) == expected.sorted())
    #expect(run.report.findings.compactMap(\.test).sorted().map { $0.suffix(8) } == ["leaksA()", "leaksB()"])
    #expect(run.report.tests.map(\.outcome).sorted() == ["leaked", "leaked", "passed"])
    #expect(run.run.status == .exited(1))
  }

  @Test func aTestOutsideOfSuitesIsNamedLikewise() throws {
    let run = try run("leaksOutsideOfSuites")
    let place = try TestingLeaks.declaration(of: "@Test", in: "GlobalTests.swift") ?? ""
    #expect(blamed(run) == ["\(place) leaksOutsideOfSuites()"])
    #expect(run.report.findings.map(\.test) == ["LeakyTests.leaksOutsideOfSuites()"])
    #expect(run.run.status == .exited(1))
  }

  @Test func aCaseOfAParameterisedTestIsNamedByItsArguments() throws {
    let run = try run("ArgumentTests")
    let place = try TestingLeaks.declaration(of: "@Test(arguments:", in: "ArgumentTests.swift") ?? ""
    #expect(blamed(run) == [#"\#(place) leaks(text:number:) with text → "c", number → 2"#])
    #expect(run.leakingTests == ["leaks(text:number:)"])
    #expect(run.report.findings.map(\.case) == [#"text → "c", number → 2"#])
    #expect(run.report.tests.count == 4)
  }

  @Test func everyLeakIsOnItsOwnCase() throws {
    let run = try run("NumberedTests")
    #expect(run.leaks.count == 300 && run.report.findings.count == 300)
    #expect(Set(blamed(run)).count == 300)
    for finding in run.report.findings {
      let number = finding.case?.split(separator: " ").last.flatMap { Int($0) } ?? -1
      let digits = [number / 100, number / 10 % 10, number % 10].map { "Leaky.D\($0)" }
      #expect(finding.type == "Leaky.Node<Leaky.Number<\(digits.joined(separator: ", "))>>", "\(finding)")
    }
    #expect(run.report.tests.count == 400)
    #expect(run.run.status == .exited(1))
  }

  @Test func everyWayToWriteATestIsWatched() throws {
    let run = try run("StructureTests")
    #expect(run.leaks.count == 7 && run.report.findings.allSatisfy { $0.test != nil })
    let outcomes = run.report.outcomes(of: "LeakyTests.StructureTests/")
    #expect(outcomes.filter { $0 == "leaked" }.count == 7)
    #if compiler(>=6.2)  // There is an exit test.
      #expect(outcomes.filter { $0 == "passed" }.count == 2 && outcomes.count == 9)
    #else
      #expect(outcomes.filter { $0 == "passed" }.count == 1 && outcomes.count == 8)
    #endif
    #expect(run.run.status == .exited(1))
  }

  @Test(arguments: [[], ["--quiet"]])
  func aTestThatDidNotComeToItsEndSaysNothingAboutLeaks(arguments: [String]) throws {
    #if compiler(>=6.3)
      let run = try run("OutcomeTests", arguments)
      #expect(
        run.report.outcomes(of: "LeakyTests.OutcomeTests/")
          == ["failed", "failed", "failed", "failed", "leaked", "leaked", "leaked", "skipped", "skipped"])
      #expect(run.report.findings.count == 3)
    #endif
  }

  @Test func whatIsReleasedSoonAfterTheTestIsNoLeak() throws {
    let run = try run("LateReleaseTests")
    #expect(run.leaks.isEmpty && run.report.findings.isEmpty)
    #expect(run.run.status == .exited(0))
  }

  @Test func noTestAtAllIsToldAsWithoutUs() throws {
    #expect(try run("NoSuchTest").run.status == .exited(69))
  }

  @Test func nothingFailsWhereNothingShall() throws {
    let run = try run("ParallelTests", options: "failon=none")
    #expect(run.leaks.isEmpty && run.report.findings.count == 2)
    #expect(run.run.status == .exited(0))
  }
}
