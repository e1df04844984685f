// unwind_workload.swift - allocates through everything that a stack can look like in Swift code.

import Dispatch
import Foundation

final class Node {
  let left: Node?
  let right: Node?
  init(depth: Int) {
    left = depth > 0 ? Node(depth: depth - 1) : nil
    right = depth > 0 ? Node(depth: depth - 1) : nil
  }
}

struct Item: Codable {
  var name: String
  var tags: [String]
  var nested: [String: [Double]]
}

struct Failure: Error { var text: String }

func fails(_ depth: Int) throws -> String {
  if depth == 0 { throw Failure(text: String(repeating: "x", count: 40)) }
  return try fails(depth - 1) + "y"
}

func jsonWork() throws -> Int {
  let item = Item(
    name: String(repeating: "n", count: 30), tags: (0..<20).map { "tag number \($0) of many" },
    nested: ["first": [1, 2, 3], "second": [4.5]])
  let data = try JSONEncoder().encode(Array(repeating: item, count: 5))
  return try JSONDecoder().decode([Item].self, from: data).count
}

func collectionWork() -> Int {
  var numbers = (0..<300).map { ($0 * 7919) % 1009 }
  numbers.sort { "\($0) is a long enough string" < "\($1) is a long enough string" }
  let groups = Dictionary(grouping: numbers) { "a group with a long name \($0 % 10)" }
  return groups.values.reduce(0) { $0 + $1.count } + Set(numbers.map(String.init)).count
}

func foundationWork() -> Int {
  let date = DateFormatter()
  date.dateFormat = "yyyy-MM-dd HH:mm"
  let text = date.string(from: Date(timeIntervalSince1970: 1_000_000))
  let parts = text.components(separatedBy: CharacterSet(charactersIn: "-: "))
  return parts.joined(separator: "/").replacingOccurrences(of: "/", with: " and ").count
}

func asyncWork(_ depth: Int) async -> Int {
  if depth == 0 { return await Task.detached { collectionWork() }.value }
  async let left = asyncWork(depth - 1)
  let right = await asyncWork(depth - 1)
  return await left + right
}

func threadWork() {
  DispatchQueue.concurrentPerform(iterations: 8) { index in
    _ = Node(depth: 5)
    _ = collectionWork()
  }
  let thread = Thread { _ = try? jsonWork() }
  thread.start()
  while !thread.isFinished { usleep(1000) }
}

@main struct Workload {
  static func main() async throws {
    for _ in 0..<3 {
      _ = Node(depth: 10)
      _ = try jsonWork()
      _ = collectionWork()
      _ = foundationWork()
      _ = try? fails(12)
      _ = await asyncWork(3)
      threadWork()
    }
  }
}
