import Foundation

/// A sanitizer of the compiler.
public enum Sanitizer: String, CaseIterable, Sendable {
  case address, thread

  /// Whether an empty program can be linked with it, and runs. Those of Debian's Swift 6.2 need symbols that its libc
  /// lacks, and ThreadSanitizer refuses addresses of 47 bits, as Linux for arm64 has with pages of 16 KiB.
  public var isUsable: Bool { Self.usable.contains(self) }

  private static let usable = Set(allCases.filter { (try? $0.runAnEmptyProgram()) != nil })

  private func runAnEmptyProgram() throws {
    let folder = try TemporaryFolder()
    let program = folder.path("program")
    try Compiler.run(
      "swiftc", ["-sanitize=\(rawValue)", folder.source("", named: "main.swift"), "-o", program])
    let run = try runProgram(program)
    guard run.status == .exited(0) else {
      throw Compiler.Failure(description: "\(program): \(run.status)\n\(run.standardError)")
    }
  }
}
