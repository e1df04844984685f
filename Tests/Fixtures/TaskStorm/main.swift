// TaskStorm TASKS OBJECTS SURVIVORS
//
// TASKS child tasks make OBJECTS objects each and pass them through an actor, suspended and resumed on whatever
// thread is free. Each leaves SURVIVORS survivors; nothing else is left, the actor and the tasks' closures
// included.

import FixtureSupport

final class Passed: Sendable {
  let number: Int
  init(_ number: Int) { self.number = number }
}

final class Survivor: Sendable {}

/// Holds the last object that any task gave away.
actor Exchange {
  private var held: Passed?

  func swap(_ new: Passed?) -> Passed? {
    defer { held = new }
    return held
  }
}

@inline(never) @_optimize(none)
func leaveSurvivors(_ count: Int) {
  for _ in 0..<count { leak(Survivor()) }
}

@Sendable func work(objects: Int, survivors: Int, through exchange: Exchange) async -> Int {
  var sum = 0
  for number in 0..<objects {
    sum += await exchange.swap(Passed(number))?.number ?? 0
  }
  leaveSurvivors(survivors)
  return sum
}

func storm(tasks: Int, objects: Int, survivors: Int) async {
  let exchange = Exchange()
  await withTaskGroup(of: Int.self) { group in
    for _ in 0..<tasks {
      group.addTask { await work(objects: objects, survivors: survivors, through: exchange) }
    }
    await group.waitForAll()
  }
}

let numbers = CommandLine.arguments.dropFirst().map { Int($0)! }
await storm(tasks: numbers[0], objects: numbers[1], survivors: numbers[2])
print("{ \"survivors\": \(numbers[0] * numbers[2]) }")
