import Testing

/// The expected finding of a scenario.
struct ExpectedFinding: Sendable, Hashable, CustomTestStringConvertible {
  var scenario: String
  var verdict: String
  var type: String
  /// `Type → reference` for each step, without the fixture's module.
  var path: [String]
  var instances = 1
  /// All objects of the finding, victims included; `nil` where the build decides.
  var objects: Int?
  /// Of collections, where the number is known.
  var elements: Int?
  var victims = 0
  /// The function that allocated the instances.
  var callSite: String
  var certainty = "definite"
  /// Of over-retained objects.
  var unexplainedRetains = 0

  var testDescription: String { scenario }

  /// A retain cycle, called after the type of its first step.
  static func cycle(
    _ scenario: String, _ path: [String], instances: Int = 1, objects: Int? = nil, victims: Int = 0,
    in callSite: String? = nil, certainty: String = "definite"
  ) -> ExpectedFinding {
    ExpectedFinding(
      scenario: scenario, verdict: "retainCycle", type: type(of: path[0]), path: path,
      instances: instances, objects: objects, victims: victims,
      callSite: callSite ?? plant(scenario), certainty: certainty)
  }

  /// Objects with more retains than references.
  static func overRetained(
    _ scenario: String, _ type: String, instances: Int = 1, victims: Int = 0, unexplainedRetains: Int = 1
  ) -> ExpectedFinding {
    ExpectedFinding(
      scenario: scenario, verdict: "overRetained", type: type, path: [], instances: instances,
      objects: instances + victims, victims: victims, callSite: plant(scenario), certainty: "probable",
      unexplainedRetains: unexplainedRetains)
  }

  /// A task that nothing can resume.
  ///
  /// - Parameter path: the first step round the cycle; the build decides on the others.
  static func suspended(_ scenario: String, _ type: String, _ path: [String] = []) -> ExpectedFinding {
    ExpectedFinding(
      scenario: scenario, verdict: "leakedTask", type: type, path: path, callSite: plant(scenario),
      certainty: "probable")
  }

  /// Objects with a known holder, the first step of the path.
  static func held(
    _ scenario: String, _ type: String, by path: [String], instances: Int = 1, in callSite: String? = nil,
    certainty: String = "definite"
  ) -> ExpectedFinding {
    ExpectedFinding(
      scenario: scenario, verdict: "heldBy", type: type, path: path, instances: instances,
      callSite: callSite ?? plant(scenario), certainty: certainty)
  }

  /// An old word on a stack or in memory of C code that equals the object's address may make it look held, and
  /// where tests have run before there are many. Not every run shows it.
  var mayBeHidden: Bool { ["overRetained", "leakedTask"].contains(verdict) || certainty == "probable" }

  private static func type(of step: String) -> String {
    String(step[..<(step.range(of: " → ")?.lowerBound ?? step.endIndex)])
  }

  private static func plant(_ scenario: String) -> String {
    "plant\(scenario.prefix(1).uppercased())\(scenario.dropFirst())()"
  }
}

extension ExpectedFinding {
  static let cycles =
    handlers + closures + fixes + objects + properties + values + collections + existentials + libraries
    + libraryHandlers + owned + observation
  static let leaks = cycles + overRetained + suspended + observing
  static let held = heldObjects + heldByTasks + heldByHandlers + heldByWork
}
