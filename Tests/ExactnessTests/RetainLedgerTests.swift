import LiveObjectsCapture
import TestSupport
import Testing

extension Exactness {
  /// The sum of an account is exactly the object's strong count.
  @Suite struct RetainLedgerTests {
    @Test(
      "retains and releases by call site add up to the strong counts",
      arguments: [
        ["Survivors"], ["ThreadStorm", "8", "4", "20000", "100"], ["TaskStorm", "200", "200", "5"],
      ])
    func addsUp(command: [String]) throws {
      let capture = try WatchedRun(command[0], Array(command.dropFirst()), watching: .retains).capture
      let balances = capture.balances
      #expect(balances.count > 800)
      #expect(capture.mismatches(of: balances).isEmpty)
    }

    @Test(
      "weak and unowned loads and nonatomic retains are counted",
      arguments: [[], ["-assume-single-threaded"]])
    func countsRetainsThatBypassTheHooks(arguments: [String]) throws {
      let folder = try TemporaryFolder()
      let program = folder.path("Loads")
      try Compiler.compile(Compiler.sources(of: "Loads"), arguments + ["-module-name", "Loads"], to: program)
      let capture = try WatchedRun(program, watching: .retains).capture
      let loaded = try #require(capture.objects.firstIndex { capture.types[$0.type].name == "Loads.Loaded" })
      #expect(capture.balances[loaded] == 22)
      #expect(capture.retainCallers(of: loaded).allSatisfy { $0?.hasSuffix("/Loads") == true })
      #expect(capture.mismatches(of: capture.balances).isEmpty)
    }
  }
}

extension Watching {
  fileprivate static let retains = Watching(hookMode: .pointers, hasStacks: true, countsRetains: true)
}

extension Capture {
  /// Retains less releases, by object.
  fileprivate var balances: [Int: Int] {
    (graph?.retainSites ?? []).reduce(into: [:]) { balances, site in
      balances[Int(site.object), default: 0] += Int(site.retains) - Int(site.releases)
    }
  }

  /// The images of the functions that retained it; `nil` where there is none.
  fileprivate func retainCallers(of object: Int) -> [String?] {
    (graph?.retainSites ?? []).filter { Int($0.object) == object && $0.retains > 0 }.map { site in
      stackTraces[site.stackTrace].first.flatMap(image(of:))?.path
    }
  }

  /// The objects whose strong count is another.
  fileprivate func mismatches(of balances: [Int: Int]) -> [LiveObject] {
    balances.compactMap { object, balance in
      objects[object].strongCount.map { Int($0) } == balance ? nil : objects[object]
    }
  }
}
