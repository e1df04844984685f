/// What the memory of a process was used for at the moment of a capture.
///
/// Each byte that was resident counts for one use; ``rest`` is what is left.
public struct MemoryAccount: Sendable, Hashable {
  /// A use of resident memory.
  public enum Use: Int, Sendable, CaseIterable {
    /// Objects of Swift, with their elements and captured values.
    case swiftObjects = 2
    /// Memory of malloc to which objects point, the bytes of Foundation's `Data` for instance, and memory of tasks.
    case behindSwiftObjects
    /// What `UnsafeMutablePointer.allocate` and the like returned.
    case rawBuffers
    /// All other memory that was allocated with malloc: of C code, and of the runtime.
    case otherAllocations
    /// Memory that malloc has for later allocations.
    case freeInMalloc
    /// The stacks of all threads, with what else is in the same mappings.
    case threadStacks = 8
    /// Mapped files, the program and its libraries with their variables among them.
    case mappedFiles
    /// Anonymous mappings of code other than glibc's malloc.
    case anonymousMappings
    /// What LiveObjects itself uses.
    case recorder
  }

  /// The numbers of one moment, as the recorder writes them.
  fileprivate struct Numbers: Sendable, Hashable {
    var values: [UInt64]

    /// 0 for a use that the recorder did not know.
    subscript(_ use: Use) -> UInt64 { values.indices.contains(use.rawValue) ? values[use.rawValue] : 0 }

    var resident: UInt64 { values[0] }

    var rest: Int64 { Use.allCases.reduce(Int64(clamping: resident)) { $0 &- Int64(clamping: self[$1]) } }
  }

  private var now: Numbers
  private var earlier: Numbers?
  /// When the memory was counted before, in nanoseconds since 1970; `nil` for the first time.
  public private(set) var earlierTime: UInt64?

  /// The bytes in memory.
  public var resident: UInt64 { now.resident }
  /// The most bytes that were in memory at a time.
  public var peak: UInt64 { now.values[1] }
  /// Of the free memory, the bytes that `malloc_trim` would return to the system.
  public var trimmable: UInt64 { now.values[7] }
  /// What no use accounts for, in bytes. Below zero where pages count for a use that the system does not count as
  /// resident: those that were read and never written to, or that came after the sum was taken.
  public var rest: Int64 { now.rest }
  /// The arenas of malloc: the main one, and those of threads.
  public var arenas: UInt64 { now.values[12] }
  /// The threads, LiveObjects' own among them.
  public var threads: UInt64 { now.values[13] }
  /// The open files, sockets and other descriptors.
  public var descriptors: UInt64 { now.values[14] }

  /// The bytes of a use.
  public subscript(_ use: Use) -> UInt64 { now[use] }

  /// By how many bytes a use has grown since the memory was counted before; `nil` for the first time.
  public func growth(of use: Use) -> Int64? { growth { $0[use] } }

  /// By how many bytes the resident memory has grown.
  public var growth: Int64? { growth(\.resident) }

  private func growth(_ value: (Numbers) -> UInt64) -> Int64? {
    earlier.map { Int64(clamping: value(now)) &- Int64(clamping: value($0)) }
  }
}

extension MemoryAccount {
  /// The numbers that this reader knows; newer recorders may write more.
  private static let count = 15

  /// Decodes a section `MEMO`.
  init(_ reader: inout ByteReader) throws(CaptureError) {
    let (start, written) = (reader.offset, Int(try reader.u32()))
    _ = try reader.u32()
    guard written >= Self.count, written <= 1 << 10 else {
      throw .damage(at: start, "it accounts for memory in an unknown way")
    }
    let time = try reader.u64()
    let before = try Self.numbers(written, &reader)
    now = try Self.numbers(written, &reader)
    if time > 0 { (earlier, earlierTime) = (before, time) }
  }

  private static func numbers(_ written: Int, _ reader: inout ByteReader) throws(CaptureError) -> Numbers {
    var values: [UInt64] = []
    for _ in 0..<written { values.append(try reader.u64()) }
    return Numbers(values: values)
  }
}
