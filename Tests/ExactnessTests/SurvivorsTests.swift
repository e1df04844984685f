import LiveObjectsCapture
import TestSupport
import Testing

extension Exactness {
  @Suite struct SurvivorsTests {
    @Test("every planted survivor is found, and no freed object", arguments: Watching.all)
    func exactCounts(watching: Watching) throws {
      let run = try WatchedRun("Survivors", watching: watching)
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      for planted in try Planted.truth(of: run.program) {
        #expect(planted.objects(in: capture).count == planted.count, "\(planted)")
      }
    }

    @Test("kinds are distinguished")
    func kinds() throws {
      let run = try WatchedRun("Survivors")
      let capture = try run.capture
      for planted in try Planted.truth(of: run.program) {
        let kinds = Set(planted.objects(in: capture).map { capture.types[$0.type].kind })
        #expect(kinds == [planted.expectedKind], "\(planted)")
      }
    }

    @Test("strong counts are the runtime's")
    func strongCounts() throws {
      let run = try WatchedRun("Survivors")
      let capture = try run.capture
      for planted in try Planted.truth(of: run.program) where !planted.isPinned {
        let counts = Set(planted.objects(in: capture).map(\.strongCount))
        #expect(counts == [planted.strongCount], "\(planted)")
      }
    }

    @Test("retains minus releases are every strong count")
    func retainCounts() throws {
      let watching = Watching(hookMode: .pointers, hasStacks: true, countsRetains: true)
      let run = try WatchedRun("Survivors", watching: watching)
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      let balance = capture.retainBalance
      for planted in try Planted.truth(of: run.program) where !planted.isPinned {
        let objects = planted.objects(in: capture)
        #expect(objects.count == planted.count, "\(planted)")
        let balances = Set(objects.map { balance[$0] ?? 0 })
        #expect(balances == [Int(planted.strongCount)], "\(planted)")
      }
    }

    @Test("findings name the function, file and line that planted the survivors")
    func callSites() throws {
      let (report, run) = try JSONReport.of("Survivors")
      #expect(report.tracking.complete, "\(report.tracking.notes)")
      for planted in try Planted.truth(of: run) where planted.isFinding {
        let sites = report.findings.flatMap(\.allocatedAt).filter { $0.frame(of: planted) != nil }
        #expect(sites.map(\.instances).reduce(0, +) == planted.count, "\(planted)")
        guard planted.hasLine else { continue }
        for frame in sites.compactMap({ $0.frame(of: planted) }) {
          #expect(frame.file?.hasSuffix("/Survivors/Plants.swift") == true, "\(planted)")
          #expect(frame.line == planted.line, "\(planted)")
        }
      }
    }

    @Test("a report lists planted types with exact counts")
    func typeRows() throws {
      let (report, run) = try JSONReport.of("Survivors")
      for planted in try Planted.truth(of: run) where planted.type.contains("Survivors.") {
        let row = try #require(report.types.first { $0.type == planted.reportedType }, "\(planted)")
        #expect(row.live == (planted.isPinned ? 0 : planted.count), "\(planted)")
        #expect(row.pinned == (planted.isPinned ? planted.count : 0), "\(planted)")
      }
    }
  }
}

extension Planted {
  fileprivate var expectedKind: TypeDescription.Kind {
    switch kind {
    case "closure context", "captured variable", "indirect payload", "existential box":
      .closureContextOrBox
    case "generic box": .genericBox
    case "error": .errorBox
    default: .classInstance
    }
  }

  fileprivate var reportedType: String { kind == "generic box" ? "box of \(type)" : type }

  /// The compiler gives the allocation of a box no line in a loop.
  fileprivate var hasLine: Bool { !["captured variable", "indirect payload"].contains(kind) }

  /// Findings list the types of the program only, not storage of the standard library.
  fileprivate var isFinding: Bool { !type.hasPrefix("Swift.") && !isPinned }
}

extension Capture {
  /// Retains minus releases in the ledger, by object.
  fileprivate var retainBalance: [LiveObject: Int] {
    (graph?.retainSites ?? []).reduce(into: [:]) { balance, site in
      balance[objects[Int(site.object)], default: 0] += Int(site.retains) - Int(site.releases)
    }
  }
}

extension JSONReport.CallSite {
  fileprivate func frame(of planted: Planted) -> JSONReport.Frame? {
    frames.first { $0.function?.hasSuffix(planted.function) == true }
  }
}
