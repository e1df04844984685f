import Foundation

nonisolated(unsafe) private var kept: [Node] = []

func keepObjects(count: Int) {
  kept.reserveCapacity(count)
  for _ in 0..<count { kept.append(Node()) }
}

/// 4 GB in a million objects, and a thread that writes to them until the process is gone.
///
/// The longest time that 1 MB of writes took until then is written to the file that TICKS names: in milliseconds.
func keepLargeHeap() {
  kept.reserveCapacity(1_000_000)
  for _ in 0..<1_000_000 { kept.append(Node(bytes: 4096)) }
  let writer = Thread { writeForEver() }
  writer.start()
  Thread.sleep(forTimeInterval: 1)
}

private func writeForEver() {
  var longest = 0.0
  var next = 0
  let ticks = ProcessInfo.processInfo.environment["TICKS"].flatMap { open($0, O_WRONLY | O_CREAT, 0o600) }
  while true {
    let start = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<256 {
      kept[next].bytes[100] &+= 1
      next = (next + 1) % kept.count
    }
    let milliseconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
    if milliseconds > longest, let ticks {
      longest = milliseconds
      let text = String(format: "%8.1f\n", longest)
      _ = text.withCString { pwrite(ticks, $0, 9, 0) }
    }
  }
}
