import LiveObjectsAnalysis
import LiveObjectsCapture

/// What stands out in the memory of a process: the use that grew most, or the largest one.
struct MemorySummary {
  /// Less than this is no reason to look for anything.
  private static let leastBytes: UInt64 = 16 << 20

  private let memory: MemoryAccount
  /// `nil` where all uses are small.
  private let main: MemoryAccount.Use?
  private let hasGrown: Bool

  init(of memory: MemoryAccount) {
    func bytes(_ use: MemoryAccount.Use) -> UInt64 { use.isInEachProgram ? 0 : memory[use] }
    func growth(_ use: MemoryAccount.Use) -> UInt64 {
      use == .recorder ? 0 : UInt64(clamping: memory.growth(of: use) ?? 0)
    }
    self.memory = memory
    let grown = MemoryAccount.Use.allCases.max { growth($0) < growth($1) }
    let largest = MemoryAccount.Use.allCases.max { bytes($0) < bytes($1) }
    hasGrown = grown.map(growth) ?? 0 >= Self.leastBytes
    main = hasGrown ? grown : largest.flatMap { bytes($0) >= Self.leastBytes ? $0 : nil }
  }

  /// What a report on objects does not explain: `80.0 MB of 92.1 MB in memory are free memory of malloc`.
  var elsewhere: String? {
    let sentences =
      [main.flatMap { $0.isExplainedByObjects ? nil : phrase(on: $0) }] + [threads, descriptors]
    let parts = sentences.compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private func phrase(on use: MemoryAccount.Use) -> String {
    guard hasGrown else {
      return "\(Count.bytes(memory[use])) of \(Count.bytes(memory.resident)) in memory are \(use.name)"
    }
    return "memory has grown by \(Count.bytes(UInt64(clamping: memory.growth(of: use) ?? 0))) of \(use.name)"
  }

  /// `620 threads run`, where that is many.
  private var threads: String? {
    memory.threads < Self.manyThreads ? nil : "\(Count.grouped(memory.threads)) threads run"
  }

  private var descriptors: String? {
    memory.descriptors < Self.manyDescriptors
      ? nil : "\(Count.grouped(memory.descriptors)) descriptors are open"
  }

  /// More than pools and event loops have.
  private static let manyThreads: UInt64 = 100
  private static let manyDescriptors: UInt64 = 500

  /// What the numbers mean, and what to do next.
  var advice: String {
    let counts = [threads, descriptors].compactMap { $0.map { " \($0)." } }.joined()
    guard let main else {
      return counts.isEmpty ? "No use of memory stands out." : String(counts.dropFirst())
    }
    let use = hasGrown ? "What grew most is" : "The largest use, besides files, is"
    return "\(use) \(main.name). \(advice(on: main))\(counts)"
  }

  private func advice(on use: MemoryAccount.Use) -> String {
    switch use {
    case .swiftObjects, .behindSwiftObjects, .rawBuffers:
      "`liveobjects snapshot` names what holds it, and the calls that allocated it."
    case .otherAllocations:
      "C code or the runtime has allocated it, and no Swift object points to it: the option `malloc=on` records the calls of C code."
    case .freeInMalloc: adviceOnFreeMemory
    case .threadStacks:
      "\(Count.of(memory.threads, "thread has", "threads have")) one each: do some never end, or are too many started?"
    case .mappedFiles: "The system can take it back, unless the pages were written to."
    case .anonymousMappings:
      "Code has mapped it itself, with mmap or through an allocator other than glibc's."
    case .recorder: "The option `budget` limits it."  // never the largest, nor what grew most
    }
  }

  private var adviceOnFreeMemory: String {
    let arenas =
      memory.arenas > 2
      ? " It lies in \(Count.grouped(memory.arenas)) arenas: MALLOC_ARENA_MAX=2 leaves two." : ""
    return
      "The program has freed it, and malloc has it for later: a peak is over, or what is left lies between. "
      + "malloc_trim(0) would return \(Count.bytes(memory.trimmable)) to the system.\(arenas)"
  }
}

extension MemoryAccount.Use {
  /// As it stands in a table and in a sentence.
  var name: String {
    switch self {
    case .swiftObjects: "Swift objects"
    case .behindSwiftObjects: "memory behind Swift objects"
    case .rawBuffers: "raw buffers"
    case .otherAllocations: "other allocations of malloc"
    case .freeInMalloc: "free memory of malloc"
    case .threadStacks: "thread stacks"
    case .mappedFiles: "mapped files"
    case .anonymousMappings: "other mappings"
    case .recorder: "LiveObjects itself"
    }
  }

  /// Whether each program has some, however little it does.
  fileprivate var isInEachProgram: Bool { self == .mappedFiles || self == .recorder }

  fileprivate var isExplainedByObjects: Bool {
    self == .swiftObjects || self == .behindSwiftObjects || self == .rawBuffers
  }
}

extension MemoryAccount {
  var json: JSONValue {
    let uses = Use.allCases.map { use in
      JSONValue.object([
        "use": .string("\(use)"), "name": .string(use.name), "bytes": .integer(self[use]),
        "growth": growth(of: use).map(JSONValue.integer) ?? .null,
      ])
    }
    return .object([
      "resident": .integer(resident), "growth": growth.map(JSONValue.integer) ?? .null,
      "growthSince": earlierTime.map(JSONValue.integer) ?? .null, "peak": .integer(peak),
      "uses": .array(uses), "rest": .integer(rest), "trimmable": .integer(trimmable),
      "arenas": .integer(arenas), "threads": .integer(threads), "descriptors": .integer(descriptors),
    ])
  }
}
