import Dispatch
import LiveObjects
import Testing

/// Swift Testing runs these in parallel with each other.
struct ParallelScopeTests {
  @Test(arguments: 0..<50)
  func everyDiffCountsItsOwnObjects(number: Int) async throws {
    let diff = try await LiveObjects.diff {
      for _ in 0...number { plant(Planted()) }
      await Task.yield()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { plant(GenericPlanted(number)) } }
      }
      await Task { plant(PlantedActor()) }.value
      await Task.detached {
        plant(GenericPlanted("\(number)"))
        await Task.detached { plant(GenericPlanted("\(number)")) }.value
      }.value
    }
    #expect(diff.instances(of: Planted.self) == number + 1)
    #expect(diff.instances(of: GenericPlanted<Int>.self) == 3)
    #expect(diff.instances(of: PlantedActor.self) == 1)
    #expect(diff.instances(of: GenericPlanted<String>.self) == 2)
    #expect(diff.instances == number + 7, "\(diff)")
  }

  @Test(arguments: 0..<10)
  func everySynchronousDiffCountsItsOwnObjects(number: Int) throws {
    let diff = try LiveObjects.diff {
      for _ in 0...number { makeRetainCycle() }
    }
    #expect(diff.instances(of: Planted.self) == 2 * (number + 1))
    #expect(diff.instances == 2 * (number + 1), "\(diff)")
  }

  @Test func workOnAThreadIsUnattributed() throws {
    let diff = try LiveObjects.diff {
      DispatchQueue.global().sync { plant(GenericPlanted(Int8(1))) }
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        plant(GenericPlanted(Int16(1)))
        done.signal()
      }
      done.wait()
    }
    #expect(diff.instances(of: GenericPlanted<Int16>.self) == 0)
    #expect(diff.unattributed >= 1)
    #expect("\(diff)".contains("cannot be attributed"))
  }
}
