import LiveObjectsAnalysis
import LiveObjectsCapture

extension TextPage {
  /// Adds what the memory of a process is used for: all of it, a line for each use.
  package mutating func add(memoryOf process: ProcessDescription, _ memory: MemoryAccount) {
    add("LiveObjects: \(memory.headline(of: process))", style: .bold)
    add()
    let rows =
      MemoryAccount.Use.allCases.map { use in
        [
          use.name, Count.bytes(memory[use]), memory.growth(of: use).map(Self.signed) ?? "",
          memory.detail(of: use),
        ]
      } + [["rest", Self.amount(memory.rest), "", ""]]
    add(rows: rows, [.left, .right, .right, .left], indentation: 2)
    add()
    add(words: MemorySummary(of: memory).advice, indentation: 0)
  }

  /// Adds the largest uses of a process's memory, on a line or two.
  mutating func add(memorySummaryOf memory: MemoryAccount) {
    let uses = MemoryAccount.Use.allCases.filter { memory[$0] >= 1 << 20 }.sorted { memory[$0] > memory[$1] }
    let parts = uses.map { "\(Count.bytes(memory[$0])) \($0.name)" }
    add(parts: ["\(Count.bytes(memory.resident)) in memory"] + parts, separator: ", ", indentation: 2)
  }

  private static func signed(_ bytes: Int64) -> String {
    bytes == 0 ? "" : (bytes > 0 ? "+" : "-") + Count.bytes(bytes.magnitude)
  }

  private static func amount(_ bytes: Int64) -> String {
    (bytes < 0 ? "-" : "") + Count.bytes(bytes.magnitude)
  }
}

extension MemoryAccount {
  /// `92.1 MB are in memory in shop (pid 12), 80.0 MB more than 35 seconds before`
  fileprivate func headline(of process: ProcessDescription) -> String {
    let most = peak > resident + resident / 4 ? " (\(Count.bytes(peak)) at the peak)" : ""
    let now = "\(Count.bytes(resident)) are in memory in \(process.label)\(most)"
    guard let growth, let earlierTime else { return now }
    let seconds = (max(process.time, earlierTime) - earlierTime) / 1_000_000_000
    return now + ", \(Count.bytes(growth.magnitude)) \(growth < 0 ? "less" : "more") than "
      + "\(Count.of(seconds, "second", "seconds")) before"
  }

  fileprivate func detail(of use: Use) -> String {
    switch use {
    case .freeInMalloc:
      "in \(Count.of(arenas, "arena", "arenas")); malloc_trim returns \(Count.bytes(trimmable))"
    case .threadStacks: Count.of(threads, "thread", "threads")
    default: ""
    }
  }
}
