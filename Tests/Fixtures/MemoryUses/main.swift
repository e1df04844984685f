// MemoryUses USE COMMAND…
//
// Uses 64 MB or more of memory in one way, then runs shell commands; its process id is their `$PPID`. The command `more`
// uses as much again, `trim` has malloc return free memory and prints how many kilobytes less are in memory then.

import Foundation

final class Holder {
  var bytes: [UInt8] = []
  var pointer: UnsafeMutableRawPointer?
}

nonisolated(unsafe) var objects: [Holder] = []
nonisolated(unsafe) var data: [Data] = []
nonisolated(unsafe) var pointers: [UnsafeMutableRawPointer] = []

let (blocks, blockBytes) = (1 << 15, 2_000)
let (largeBlocks, largeBytes) = (16, 4 << 20)

/// The compiler removes allocations that nothing uses.
@inline(never) @_optimize(none)
func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
  let block = malloc(bytes)!
  memset(block, 1, bytes)
  return block
}

func map(_ bytes: Int, _ protection: CInt, _ flags: CInt, _ file: CInt) -> UnsafeMutableRawPointer {
  mmap(nil, bytes, protection, flags, file, 0)
}

func holder(_ change: (Holder) -> Void) -> Holder {
  let holder = Holder()
  change(holder)
  return holder
}

func useArrays() {
  objects += (0..<blocks).map { _ in holder { $0.bytes = Array(repeating: 1, count: blockBytes) } }
}

func startThreads(_ count: Int, _ work: @escaping @Sendable () -> Void) {
  for _ in 0..<count {
    Thread.detachNewThread {
      work()
      while true { sleep(1_000) }
    }
  }
  sleep(1)
}

func readFile() {
  let file = fileno(tmpfile())
  guard ftruncate(file, 64 << 20) == 0 else { return }
  let start = map(64 << 20, PROT_READ, MAP_PRIVATE, file)
  let sum = stride(from: 0, to: 64 << 20, by: 4_096).reduce(0) {
    $0 + Int(start.load(fromByteOffset: $1, as: UInt8.self))
  }
  print("read", sum)
}

let uses: [String: () -> Void] = [
  "arrays": useArrays,
  "largeArrays": {
    objects += (0..<largeBlocks).map { _ in holder { $0.bytes = Array(repeating: 1, count: largeBytes) } }
  },
  "data": { data += (0..<blocks).map { _ in Data(repeating: 1, count: blockBytes) } },
  "pointers": { objects += (0..<blocks).map { _ in holder { $0.pointer = allocate(blockBytes) } } },
  "buffers": {
    pointers += (0..<blocks).map { _ in
      let buffer = UnsafeMutableRawPointer.allocate(byteCount: blockBytes, alignment: 16)
      memset(buffer, 1, blockBytes)
      return buffer
    }
  },
  "malloc": { for _ in 0..<blocks { _ = allocate(blockBytes) } },
  "largeMalloc": { for _ in 0..<largeBlocks { _ = allocate(largeBytes) } },
  "peak": {
    useArrays()
    objects = [Holder()]
  },
  "fragments": {
    useArrays()
    objects = objects.enumerated().filter { $0.offset % 20 == 0 }.map(\.element)
  },
  "threadHeaps": {
    startThreads(4) {
      let blocks = (0..<1 << 14).map { _ in allocate(1_000) }
      for block in blocks.dropLast() { free(block) }
    }
  },
  "threads": { startThreads(200) {} },
  "mappings": { memset(map(64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1), 1, 64 << 20) },
  "file": readFile,
  "descriptors": { for _ in 0..<600 { _ = open("/dev/null", O_RDONLY) } },
]

@_silgen_name("malloc_trim") private func trimMalloc(_: Int) -> CInt

func residentKilobytes() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

let use = uses[CommandLine.arguments[1]]!
_ = residentKilobytes()  // what Foundation keeps of it is there before
use()
for command in CommandLine.arguments.dropFirst(2) {
  switch command {
  case "more": use()
  case "trim":
    let before = residentKilobytes()
    _ = trimMalloc(0)
    print("trimmed", before - residentKilobytes())
  default: print("status", system(command) >> 8)
  }
  fflush(nil)
}
