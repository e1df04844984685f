import Foundation

final class Node {
  var next: Node?
  var bytes: [UInt8]

  init(bytes: Int = 0) { self.bytes = [UInt8](repeating: 1, count: bytes) }
}

/// Leaks one cycle of two objects.
@inline(never)
func leakCycle() {
  let first = Node()
  let second = Node()
  first.next = second
  second.next = first
}

/// Allocates and releases objects.
@inline(never)
func work(objects: Int) -> Int {
  var sum = 0
  for index in 0..<objects {
    let node = Node(bytes: index % 64)
    node.next = Node()
    sum += node.bytes.count
  }
  return sum
}

/// The same for C. It must not leak, because it runs very often.
let workInC: @convention(c) () -> Void = { _ = work(objects: 20) }

/// 16 threads that work and leak.
func runThreads() {
  let threads = (0..<16).map { _ in startThread() }
  for thread in threads { pthread_join(thread, nil) }
}

/// `Foundation.Thread` reports no error if a thread cannot be started.
private func startThread() -> pthread_t {
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { _ in
      _ = work(objects: 2000)
      leakCycle()
      return nil
    }, nil)
  guard error == 0 else {
    print("cannot start a thread")
    exit(98)
  }
  return thread
}

func outputOfChild() -> String {
  let child = Process()
  let output = Pipe()
  child.executableURL = URL(fileURLWithPath: "/bin/echo")
  child.arguments = ["hello"]
  child.standardOutput = output
  do { try child.run() } catch { return "cannot be started" }
  let bytes = output.fileHandleForReading.readDataToEndOfFile()
  child.waitUntilExit()
  return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}

struct Message: Codable {
  var text: String
  var numbers: [Int]
}

func roundTrip() throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  let data = try encoder.encode(Message(text: "ü", numbers: [1, 2, 3]))
  return "\(try JSONDecoder().decode(Message.self, from: data).numbers) \(data.count) bytes"
}
