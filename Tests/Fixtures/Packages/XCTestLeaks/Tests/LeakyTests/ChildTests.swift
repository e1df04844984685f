import Foundation
import Leaky
import XCTest

private nonisolated(unsafe) var childSignals: sig_atomic_t = 0

/// The symbolizer's processes are not visible to the host.
final class ChildTests: XCTestCase {
  override class func setUp() {
    signal(SIGCHLD) { _ in childSignals += 1 }
  }

  func testA_leaks() {
    let loader = Loader()
    loader.observe()
  }

  func testB_hasNoChild() {
    expectNoChild()
    print("symbolizer:", symbolizers())
  }

  func testC_leaksElsewhere() {
    let loader = Loader()
    loader.observe()
  }

  func testD_hasNoChildEither() {
    expectNoChild()
    print("symbolizer:", symbolizers())
  }

  private func expectNoChild() {
    XCTAssertEqual(waitpid(-1, nil, 0), -1)
    XCTAssertEqual(errno, ECHILD)
    XCTAssertEqual(childSignals, 0)
  }

  /// Those whose parent's parent is this process.
  private func symbolizers() -> [Int32] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { Int32($0) }.filter { process in
      name(of: process) == "llvm-symbolizer" && parent(of: parent(of: process)) == getpid()
    }
  }

  /// `123 (name) S parent …`
  private func name(of process: Int32) -> String {
    status(of: process).split { "()".contains($0) }.dropFirst().first.map(String.init) ?? ""
  }

  private func parent(of process: Int32) -> Int32 {
    let words = status(of: process).split(separator: ")").last?.split(separator: " ") ?? []
    return words.dropFirst().first.flatMap { Int32($0) } ?? 0
  }

  private func status(of process: Int32) -> String {
    (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
  }
}
