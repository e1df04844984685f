import LiveObjectsCapture
import LiveObjectsSystem

/// What is known of the answer of a process while it is received. The process may send anything, without an end.
struct Answer {
  private let process: Int32
  private let limit: Int
  private var start: [UInt8] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  init(of process: Int32) { self.init(of: process, limit: Self.mostBytes(of: process)) }

  init(of process: Int32, limit: Int) { (self.process, self.limit) = (process, limit) }

  /// - Throws: if it is no capture of the process, or too large.
  mutating func add(_ part: [UInt8]) throws(ToolFailure) {
    count += part.count
    let hadStart = start.count == CaptureStart.size
    start += part.prefix(CaptureStart.size - start.count)
    if !hadStart && start.count == CaptureStart.size && CaptureStart.process(of: start) != process {
      throw ToolFailure("process \(process) does not answer with a capture of its own")
    }
    guard count <= limit else {
      throw ToolFailure(
        "the answer of process \(process) has more than \(limit >> 20) MB, the most that its memory allows: "
          + "it was not received")
    }
  }

  /// An object takes 32 bytes, its records in a capture some 100, a reference 8 and 20.
  private static func mostBytes(of process: Int32) -> Int {
    let (least, times) = (256 << 20, 8)
    return least + times * (memory(of: process) ?? 0)
  }

  /// The bytes that the process has in memory and in swap.
  private static func memory(of process: Int32) -> Int? {
    guard let text = readable("/proc/\(process)/status") else { return nil }
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("VmRSS:") || $0.hasPrefix("VmSwap:") }
    return lines.compactMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } }
      .reduce(0) { $0 + $1 << 10 }
  }

  private static func readable(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
