import LiveObjects
import XCTest

/// Counts in a process where nothing else runs: XCTest runs one test at a time.
final class DiffTests: XCTestCase {
  func testEmptyBodyLeavesNothing() throws {
    let diff = try LiveObjects.diff {}
    XCTAssertTrue(diff.isClean, "\(diff)")
    XCTAssertEqual(diff.instances, 0)
    XCTAssertEqual(diff.types, [])
  }

  func testEmptyAsynchronousBodyLeavesNothing() async throws {
    let diff = try await LiveObjects.diff { await Task.yield() }
    XCTAssertTrue(diff.isClean, "\(diff)")
    XCTAssertEqual(diff.types, [])
  }

  func testReleasedObjectsAreNotCounted() throws {
    let diff = try LiveObjects.diff {
      for number in 0..<1000 { use(Planted(GenericPlanted("number \(number) of many"))) }
    }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testRetainCycleIsCounted() throws {
    let diff = try LiveObjects.diff { makeRetainCycle() }
    XCTAssertFalse(diff.isClean)
    XCTAssertEqual(diff.instances, 2)
    XCTAssertEqual(diff.instances(of: Planted.self), 2)
    XCTAssertEqual(diff.types.map(\.type), ["LiveObjectsTests.Planted"])
    XCTAssertEqual(diff.types.map(\.growth), [2])
    XCTAssertEqual(diff.types.map(\.kind), [.classInstance])
    // Header and one reference each.
    XCTAssertEqual(diff.types.map(\.bytes), [48])
  }

  func testGenericClassIsNamedWithItsArguments() throws {
    let diff = try LiveObjects.diff {
      for number in 0..<3 { plant(GenericPlanted(number)) }
    }
    XCTAssertEqual(diff.types.map(\.type), ["LiveObjectsTests.GenericPlanted<Swift.Int>"])
    XCTAssertEqual(diff.instances(of: GenericPlanted<Int>.self), 3)
    XCTAssertEqual(diff.instances(of: GenericPlanted<String>.self), 0)
  }

  func testActorIsCounted() throws {
    let diff = try LiveObjects.diff { plant(PlantedActor()) }
    XCTAssertEqual(diff.types.map(\.type), ["LiveObjectsTests.PlantedActor"])
    XCTAssertEqual(diff.instances, 1)
  }

  func testErrorIsCountedWithItsProperties() throws {
    let diff = try LiveObjects.diff {
      plantValue(PlantedError(planted: GenericPlanted(1)) as any Error)
    }
    XCTAssertEqual(Set(diff.types.map(\.kind)), [.classInstance, .error])
    XCTAssertEqual(diff.instances, 2)
  }

  func testClosureIsCountedWithItsCaptures() throws {
    let diff = try LiveObjects.diff {
      let planted = Planted()
      let number = Int.random(in: 0..<10)
      plant(PlantedCallback { planted.other == nil ? number : 0 })
    }
    XCTAssertEqual(diff.instances(of: Planted.self), 1)
    XCTAssertEqual(diff.instances(of: PlantedCallback.self), 1)
    XCTAssertEqual(diff.types.count { $0.kind == .closure }, 1, "\(diff)")
    XCTAssertEqual(diff.instances, 3)
  }

  func testArrayStorageIsCounted() throws {
    let diff = try LiveObjects.diff {
      plantValue(Array(repeating: Int.random(in: 0..<10), count: 100))
    }
    XCTAssertEqual(diff.types.map(\.kind), [.arrayStorage])
    XCTAssertEqual(diff.types.map(\.isUserDefined), [false])
    XCTAssertEqual(diff.instances, 1)
  }

  func testReturnedValueIsCounted() throws {
    let (value, diff) = try LiveObjects.diff { Planted() }
    XCTAssertNil(value.other)
    XCTAssertEqual(diff.instances(of: Planted.self), 1)
  }

  func testObjectsOfOtherThreadsAreCounted() throws {
    let done = DispatchSemaphore(value: 0)
    let diff = try LiveObjects.diff {
      Thread.detachNewThread {
        plant(Planted())
        done.signal()
      }
      done.wait()
    }
    XCTAssertEqual(diff.instances(of: Planted.self), 1)
    XCTAssertEqual(diff.unattributed, 0)
  }

  func testCallSiteNamesFunctionFileAndLine() throws {
    let line = #line + 1
    let diff = try LiveObjects.diff { plant(Planted()) }
    let site = try XCTUnwrap(diff.callSites.first)
    XCTAssertEqual(diff.callSites.count, 1)
    XCTAssertEqual(site.instances, 1)
    // The optimiser may have merged the closure with another one; its caller stays.
    let frame = try XCTUnwrap(site.frames.first { $0.line == line })
    XCTAssertEqual(frame.function?.contains(#function.dropLast(2)), true)
    XCTAssertEqual(frame.module, "LiveObjectsTests")
    XCTAssertEqual(frame.file?.hasSuffix("DiffTests.swift"), true)
  }

  func testTypeFilterExcludesOtherTypes() throws {
    let diff = try LiveObjects.diff(.init(types: ["GenericPlanted"])) {
      plant(Planted())
      plant(GenericPlanted(1))
    }
    XCTAssertEqual(diff.types.map(\.type), ["LiveObjectsTests.GenericPlanted<Swift.Int>"])
  }

  /// It would leave out everything, for ever.
  func testMisspeltTypeInTheFilterIsNeverClean() throws {
    let diff = try LiveObjects.diff(.init(types: ["GenericPlnted"])) { plant(GenericPlanted(1)) }
    XCTAssertEqual(diff.instances, 0)
    XCTAssertFalse(diff.isClean)
    XCTAssertTrue("\(diff)".contains(#"`types` names "GenericPlnted", which"#), "\(diff)")
    XCTAssertTrue(try LiveObjects.diff(.init(types: ["GenericPlanted"])) {}.isClean)
  }

  func testNestedDiffIsCountedByBoth() throws {
    var inner: LiveObjects.Diff?
    let outer = try LiveObjects.diff {
      plant(Planted())
      inner = try LiveObjects.diff { plant(Planted()) }
    }
    XCTAssertEqual(inner?.instances, 1)
    XCTAssertEqual(outer.instances(of: Planted.self), 2)
    XCTAssertEqual(outer.instances, 2, "\(outer)")
  }

  func testReadingADiffAddsNothingToAnother() throws {
    let first = try LiveObjects.diff { makeRetainCycle() }
    let second = try LiveObjects.diff {
      _ = first.types
      _ = first.callSites
    }
    XCTAssertTrue(second.isClean, "\(second)")
  }
}
