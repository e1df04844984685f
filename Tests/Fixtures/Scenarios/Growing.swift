// Collections of values that grow: no object of the program's own is left behind but their owners.

import Foundation

extension Scenario {
  static let growing = [
    Scenario("recentStrings", plantRecentStrings),
    Scenario("stringsByKey", plantStringsByKey),
    Scenario("stringSet", plantStringSet),
    Scenario("structEntries", plantStructEntries),
    Scenario("nestedDictionaries", plantNestedDictionaries),
    Scenario("receivedData", plantReceivedData),
    Scenario("appendedText", plantAppendedText),
    Scenario("actorJournal", plantActorJournal),
    Scenario("lazyGlobal", plantLazyGlobal),
    Scenario("keptRecorder", plantKeptRecorder),
    Scenario("contiguousStrings", plantContiguousStrings),
    Scenario("sliceOfStrings", plantSliceOfStrings),
    Scenario("genericOwner", plantGenericOwner),
    Scenario("numbers", plantNumbers),
    Scenario("capturedStrings", plantCapturedStrings),
    Scenario("assignedStrings", plantAssignedStrings),
    Scenario("assignedTable", plantAssignedTable),
    Scenario("namedUsers", plantNamedUsers),
    Scenario("freedStrings", plantFreedStrings),
    Scenario("removedStrings", plantRemovedStrings),
    Scenario("smallText", plantSmallText),
  ]
}

/// Longer than the 15 bytes that fit into a `String` itself.
@inline(never)
func longText(_ number: Int) -> String { "entry number \(number) of many" }

final class SessionStore: @unchecked Sendable {
  static let shared = SessionStore()
  var recent: [String] = []

  func add(_ entry: String) { recent.append(entry) }
}

@inline(never) @_optimize(none)
func plantRecentStrings() {
  for number in 0..<300 { SessionStore.shared.add(longText(number)) }
}

final class Tags: @unchecked Sendable {
  static let shared = Tags()
  var byUser: [String: [String]] = [:]
}

@inline(never) @_optimize(none)
func plantStringsByKey() {
  for number in 0..<90 { Tags.shared.byUser[longText(number % 30), default: []].append(longText(number)) }
}

enum Seen {
  nonisolated(unsafe) static var names: Set<String> = []
}

@inline(never) @_optimize(none)
func plantStringSet() {
  for number in 0..<50 { Seen.names.insert(longText(number)) }
}

struct LogEntry {
  var level: Int
  var message: String
}

nonisolated(unsafe) var logEntries: [LogEntry] = []

@inline(never) @_optimize(none)
func plantStructEntries() {
  for number in 0..<40 { logEntries.append(LogEntry(level: number, message: longText(number))) }
}

enum Translations {
  nonisolated(unsafe) static var byLanguage: [String: [String: String]] = [:]
}

@inline(never) @_optimize(none)
func plantNestedDictionaries() {
  for number in 0..<60 {
    Translations.byLanguage[longText(number % 6), default: [:]][longText(number)] = longText(number)
  }
}

final class UploadBuffer: @unchecked Sendable {
  static let shared = UploadBuffer()
  var received = Data()

  /// Not evaluated at compile time: the object would be static data.
  @inline(never) init() {}
}

@inline(never) @_optimize(none)
func plantReceivedData() {
  for number in 0..<200 { UploadBuffer.shared.received.append(contentsOf: longText(number).utf8) }
}

final class Transcript: @unchecked Sendable {
  static let shared = Transcript()
  var text = ""

  /// Not evaluated at compile time: the object would be static data.
  @inline(never) init() {}
}

@inline(never) @_optimize(none)
func plantAppendedText() {
  for number in 0..<200 { Transcript.shared.text += longText(number) }
}

actor Journal {
  static let shared = Journal()
  var lines: [String] = []

  func write(_ line: String) { lines.append(line) }
}

@inline(never) @_optimize(none)
func plantActorJournal() {
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    for number in 0..<25 { await Journal.shared.write(longText(number)) }
    isDone.signal()
  }
  isDone.wait()
}

nonisolated(unsafe) private var lazyTable: [Int: String] = {
  [0: longText(0)]
}()

@inline(never) @_optimize(none)
func plantLazyGlobal() {
  for number in 0..<20 { lazyTable[number] = longText(number) }
}

final class LineRecorder {
  var lines: [String] = []
}

enum Recorders {
  nonisolated(unsafe) static var kept: [LineRecorder] = []
}

@inline(never) @_optimize(none)
func plantKeptRecorder() {
  let recorder = LineRecorder()
  Recorders.kept.append(recorder)
  for number in 0..<15 { recorder.lines.append(longText(number)) }
}

nonisolated(unsafe) var packedStrings: ContiguousArray<String> = []

@inline(never) @_optimize(none)
func plantContiguousStrings() {
  for number in 0..<15 { packedStrings.append(longText(number)) }
}

nonisolated(unsafe) var latestStrings: ArraySlice<String> = []

@inline(never) @_optimize(none)
func plantSliceOfStrings() {
  for number in 0..<30 { latestStrings.append(longText(number)) }
  latestStrings = latestStrings.dropFirst(10)
}

final class ItemPool<Element> {
  var elements: [Element] = []
}

nonisolated(unsafe) let stringPool = ItemPool<String>()

@inline(never) @_optimize(none)
func plantGenericOwner() {
  for number in 0..<15 { stringPool.elements.append(longText(number)) }
}

enum Samples {
  nonisolated(unsafe) static var values: [Int] = []
}

@inline(never) @_optimize(none)
func plantNumbers() {
  for number in 0..<1000 { Samples.values.append(number) }
}

enum Commands {
  nonisolated(unsafe) static var undo: (() -> Void)?
}

@inline(never) @_optimize(none)
func plantCapturedStrings() {
  var undone: [String] = []
  Commands.undo = { undone.append(longText(undone.count)) }
  for _ in 0..<15 { Commands.undo?() }
}

enum Palette {
  nonisolated(unsafe) static var names: [String] = []
  nonisolated(unsafe) static var table: [Int: String] = [:]
}

@inline(never) @_optimize(none)
func plantAssignedStrings() {
  Palette.names = [longText(1), longText(2), longText(3)]
}

@inline(never) @_optimize(none)
func plantAssignedTable() {
  Palette.table = [1: longText(1), 2: longText(2), 3: longText(3)]
}

final class Account {
  let name: String
  var tags: [String]
  init(_ name: String) { (self.name, tags) = (name, [name + " (first)", name + " (second)"]) }
}

enum Accounts {
  nonisolated(unsafe) static var all: [Account] = []
}

/// Each object has a name and less tags than there are objects: no growth of their own.
@inline(never) @_optimize(none)
func plantNamedUsers() {
  for number in 0..<20 { Accounts.all.append(Account(longText(number))) }
}

// MARK: - Nothing left

@inline(never) @_optimize(none)
func plantFreedStrings() {
  let store = LineRecorder()
  for number in 0..<100 { store.lines.append(longText(number)) }
}

nonisolated(unsafe) var removed: [String: [String]] = [:]

@inline(never) @_optimize(none)
func plantRemovedStrings() {
  for number in 0..<100 { removed[longText(number), default: []].append(longText(number)) }
  removed.removeAll()
}

nonisolated(unsafe) var smallText = ""

@inline(never) @_optimize(none)
func plantSmallText() {
  for number in 0..<100 { smallText = "nr \(number)" }
}
