import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture
@testable import LiveObjectsReport

@Suite struct ReportTests {
  @Test func isCleanIfEverythingWasWatchedAndNothingFound() {
    #expect(makeReport(of: CaptureBuilder()).isClean)
    #expect(!LeakingProgram().report().isClean)
  }

  @Test(arguments: [.noRuntime, .blind, .ready] as [TrackingStatus.State])
  func isNotCleanIfNothingWasWatched(state: TrackingStatus.State) {
    let report = makeReport(of: CaptureBuilder(tracking: TrackingStatus(state: state)))
    #expect(!report.isClean)
    #expect(!report.tracking.wasWatched)
    #expect(!report.tracking.notes.isEmpty)
  }

  @Test(
    arguments: zip(
      [
        HeapGraph.Status(wasRead: false, notes: ["references were not read: no memory"]),
        HeapGraph.Status(unreadObjects: 2),
      ], ["references were not read: no memory", "2 objects could not be read"]))
  func isNotCleanIfNotEverythingCouldBeRead(status: HeapGraph.Status, reason: String) {
    var unread = CaptureBuilder(processID: 13)
    unread.heapGraph(status)
    let report = makeReport(of: CaptureBuilder(), unread)
    #expect(!report.isClean)
    #expect(report.tracking.unevaluated == ["demo (pid 13): \(reason)"])
    #expect(makeReport(of: CaptureBuilder()).tracking.unevaluated == [])
  }

  @Test func isNotCleanIfAChildProcessCouldNotBeWatched() {
    let blind = CaptureBuilder(processID: 13, tracking: TrackingStatus(state: .blind))
    let report = makeReport(of: CaptureBuilder(), blind)
    #expect(report.tracking.wasWatched)
    #expect(!report.isClean)
    #expect(!report.tracking.isComplete)
  }

  @Test func isCleanWithAChildProcessWithoutSwift() {
    let other = CaptureBuilder(processID: 13, tracking: TrackingStatus(state: .noRuntime))
    #expect(makeReport(of: CaptureBuilder(), other).isClean)
  }

  @Test(arguments: [
    TrackingStatus(state: .tracking, droppedRecords: 1_234),
    TrackingStatus(state: .tracking, droppedStackTraces: 1),
    TrackingStatus(state: .tracking, missedDeallocations: 1),
  ])
  func everyDegradationIsOneSentence(status: TrackingStatus) {
    let tracking = makeReport(of: CaptureBuilder(tracking: status)).tracking
    #expect(!tracking.isComplete)
    #expect(tracking.notes.count == 1)
  }

  @Test(
    arguments: [
      (TrackingStatus(state: .tracking, hasBudget: true), "`budget=`", "max"),
      (TrackingStatus(state: .tracking, wasShortOfMemory: true), "memory limit", "LIVEOBJECTS_OPTIONS"),
    ])
  func theNotesNameTheLimit(status: TrackingStatus, named: String, other: String) {
    var status = status
    (status.droppedRecords, status.droppedStackTraces) = (1, 1)
    let notes = makeReport(of: CaptureBuilder(tracking: status)).tracking.notes
    #expect(notes.count == 2)
    #expect(notes.allSatisfy { $0.contains(named) && !$0.contains(other) })
  }

  @Test func theNoteNamesTheStop() {
    let status = TrackingStatus(state: .tracking, wasStopped: true, droppedRecords: 3)
    let tracking = makeReport(of: CaptureBuilder(tracking: status)).tracking
    #expect(
      tracking.notes == [
        "3 objects were not recorded, since LiveObjects.stop() was called: counts are too low."
      ])
    #expect(!tracking.unevaluated.isEmpty)
  }

  @Test(arguments: [
    TrackingStatus(state: .tracking, hookMode: .gotEntries),
    TrackingStatus(state: .tracking, stackSource: .off),
    TrackingStatus(state: .tracking, sampleBytes: 512 << 10),
  ])
  func chosenOptionsAreNotedAndDoNotDegrade(status: TrackingStatus) {
    let tracking = makeReport(of: CaptureBuilder(tracking: status)).tracking
    #expect(tracking.isComplete)
    #expect(tracking.notes.count + tracking.details.count == 1)
  }

  @Test func notesNameTheirProcessIfThereAreSeveral() {
    let status = TrackingStatus(state: .tracking, notes: ["Something."])
    let report = makeReport(
      of: CaptureBuilder(tracking: status), CaptureBuilder(processID: 13, tracking: status),
      notes: ["From outside."])
    #expect(
      report.tracking.notes == ["demo (pid 12): Something.", "demo (pid 13): Something.", "From outside."])
  }

  @Test func aNoteOnManyProcessesIsWrittenOnce() {
    let status = TrackingStatus(state: .tracking, notes: ["Something."])
    let captures = (1...1_000).map { CaptureBuilder(processID: $0, tracking: status).capture }
    let tracking = Report(of: captures.map { ($0, Analysis(of: $0, symbolicator: TableSymbolicator())) })
      .tracking
    #expect(tracking.notes == ["demo (pid 1) and 999 other processes: Something."])
  }

  @Test func equalFindingsOfSeveralProcessesAreMerged() {
    let program = LeakingProgram()
    let report = makeReport(of: program.builder, program.builder, symbolicator: program.symbolicator)
    let single = program.report()
    #expect(report.findings.map(\.fingerprint) == single.findings.map(\.fingerprint))
    #expect(report.findings.map(\.instances) == single.findings.map { $0.instances * 2 })
    #expect(report.findings.map(\.bytes) == single.findings.map { $0.bytes * 2 })
    #expect(report.findings.map(\.allocatedAt.count) == single.findings.map(\.allocatedAt.count))
    #expect(report.findings.first?.allocatedAt.map(\.instances) == [200])
    #expect(report.types.map(\.growth) == single.types.map { $0.growth * 2 })
    #expect(report.types.map(\.pinned) == single.types.map { $0.pinned * 2 })
  }

  @Test func countsOfEqualFindingsAreAdded() throws {
    var other = ExplainedFindings.overRetained
    other.certainty = .probable
    other.remarks = ["Another remark."]
    other.retainedAt.append(.init(retains: 5, releases: 0, frames: [.user("Pool.add(_:)", line: 3)]))
    let merged = Finding.sum(of: [ExplainedFindings.overRetained, other])

    #expect(merged.certainty == .probable)
    #expect(merged.unexplainedRetains == 4)
    #expect(merged.retainedAt.map(\.retains) == [5, 6, 2])
    #expect(merged.retainedAt.map(\.releases) == [0, 2, 0])
    #expect(merged.remarks.count == 2)
  }

  @Test(arguments: [
    HeapGraph.Status(unreadObjects: 1), HeapGraph.Status(missesRoots: true), HeapGraph.Status(wasRead: false),
    HeapGraph.Status(notes: ["Something."]),
  ])
  func unreadPartsOfTheHeapAreOneSentence(status: HeapGraph.Status) {
    let tracking = ExplainedFindings.report([], status: status).tracking
    #expect(!tracking.isComplete)
    #expect(tracking.notes.count == 1)
  }

  @Test(arguments: [HeapGraph.Status(scannedObjects: 7), HeapGraph.Status(missesStacks: true)])
  func inherentLimitsAreNotedAndDoNotDegrade(status: HeapGraph.Status) {
    let tracking = ExplainedFindings.report([], status: status).tracking
    #expect(tracking.isComplete)
    #expect(tracking.notes.isEmpty && tracking.details.count == 1)
  }

  @Test func leaksAreEvaluatedOnlyIfReferencesWereReadInEveryProcess() {
    #expect(ExplainedFindings.report().tracking.readReferences)
    #expect(!ExplainedFindings.report(status: .init(wasRead: false)).tracking.readReferences)
    #expect(!ExplainedFindings.report(status: nil).tracking.readReferences)
    #expect(!makeReport().tracking.readReferences)
  }
}
