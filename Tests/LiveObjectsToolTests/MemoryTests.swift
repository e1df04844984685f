import Foundation
import TestSupport
import Testing

/// The fixture `MemoryUses` uses 64 MB of memory in one way.
@Suite("the account of memory")
struct MemoryTests {
  private let folder: TemporaryFolder
  private let tool = BuiltProducts.tool

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "adds up to the resident memory, and names what uses most of it",
    arguments: [
      ("arrays", "swiftObjects", 66), ("largeArrays", "swiftObjects", 64), ("data", "behindSwiftObjects", 78),
      ("pointers", "behindSwiftObjects", 63), ("buffers", "rawBuffers", 63),
      ("malloc", "otherAllocations", 63),
      ("largeMalloc", "otherAllocations", 64), ("peak", "freeInMalloc", 66),
      ("fragments", "freeInMalloc", 62),
      ("threadHeaps", "freeInMalloc", 63), ("mappings", "anonymousMappings", 64), ("file", "mappedFiles", 84),
    ])
  func addsUp(use: String, expected: String, megabytes: Int) throws {
    let run = try run(use, ["\(tool) snapshot $PPID --fail-on none --json \(folder.path("json"))"])
    #expect(run.contains("status 0"))
    let account = try account(in: "json")
    #expect(abs(account.bytes(expected) - megabytes << 20) * 10 <= megabytes << 20, "\(account)")
    #expect(abs(account.rest) * 100 <= account.resident * 3, "\(account)")
  }

  @Test("says how much malloc_trim returns", arguments: ["peak", "fragments", "threadHeaps"])
  func foretellsTrim(use: String) throws {
    let run = try run(use, ["\(tool) snapshot $PPID --fail-on none --json \(folder.path("json"))", "trim"])
    let returned = try #require(run.split(separator: "\n").first { $0.hasPrefix("trimmed ") })
    let bytes = try #require(Int(returned.dropFirst("trimmed ".count))) * 1024
    let foretold = try account(in: "json").trimmable
    #expect(abs(foretold - bytes) * 100 <= bytes * 5, "\(foretold) of \(bytes)")
  }

  @Test("has the growth since the memory was counted before, and leaves the last snapshot as it is")
  func showsGrowth() throws {
    let run = try run(
      "mappings",
      [
        "\(tool) memory $PPID", "more", "\(tool) memory $PPID",
        "\(tool) snapshot $PPID --json \(folder.path("json"))",
      ])
    #expect(run.contains("+64.0 MB"), "\(run)")
    #expect(run.contains("What grew most is other mappings."), "\(run)")
    #expect(try account(in: "json").uses.allSatisfy { abs($0.growth ?? .max) < 4 << 20 })
  }

  @Test("comes first where objects do not explain it: \"no leaks\" is not the answer then")
  func leadsTheReport() throws {
    let text = try run("malloc", ["\(tool) snapshot $PPID"])
    #expect(text.contains("in memory are other allocations of malloc\n"), "\(text)")
    #expect(!(try run("arrays", ["\(tool) snapshot $PPID --fail-on none"])).contains("in memory are"))
  }

  @Test(
    "counts threads and descriptors, and says which",
    arguments: [("threads", "threads run"), ("descriptors", "descriptors are open")])
  func countsResources(use: String, sentence: String) throws {
    let text = try run(use, ["\(tool) memory $PPID"])
    #expect(text.contains(sentence), "\(text)")
    #expect(use == "threads" || text.contains(" /dev/null"), "\(text)")
  }

  @Test("is in the report at a program's end if it was asked for")
  func countsAtExit() throws {
    let program = BuiltProducts.executable("MemoryUses")
    let run = try runProgram(
      tool, ["run", "--memory", "--json", folder.path("json"), "--", program, "malloc"])
    #expect(run.status == .exited(0), "\(run.standardError)")
    #expect(try account(in: "json").bytes("otherAllocations") > 60 << 20)
  }

  // MARK: - Accounts

  private struct Account: Decodable {
    struct Use: Decodable {
      var use: String
      var bytes: Int
      var growth: Int?
    }
    var resident: Int
    var rest: Int
    var trimmable: Int
    var uses: [Use]

    func bytes(_ use: String) -> Int { uses.first { $0.use == use }?.bytes ?? 0 }
  }

  private func account(in name: String) throws -> Account {
    struct Report: Decodable {
      struct Process: Decodable { var memory: Account }
      var processes: [Process]
    }
    return try #require(
      JSONDecoder().decode(Report.self, from: Data(folder.bytes(of: name))).processes.first?.memory)
  }

  private func run(_ use: String, _ commands: [String]) throws -> String {
    let run = try runProgram(
      BuiltProducts.executable("MemoryUses"), [use] + commands,
      environment: [
        "LD_PRELOAD": BuiltProducts.preloadLibrary,
        "LIVEOBJECTS_OPTIONS": "snapshots=on:output=\(folder.path("report"))",
      ])
    #expect(run.status == .exited(0), "\(run.standardError)")
    return run.standardOutput
  }
}
