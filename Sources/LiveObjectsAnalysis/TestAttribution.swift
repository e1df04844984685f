import LiveObjectsCapture

/// Which test made each object of a capture.
///
/// What a test has declared known is told apart from what else it made: as that of a stand-in, whose number is greater
/// than those of all tests. There is one for each test, and one for nobody.
struct TestAttribution {
  /// No test.
  static let nobody: Int32 = -1

  let tests: [TestDescription]
  /// Tests by their scopes and by those opened inside.
  private let scoped: [UInt32: Int32]
  /// The sequence numbers below which objects are known, by scope; with the scopes opened inside.
  private let knownScopes: [UInt32: UInt64]
  /// The tests that own all objects made while they ran.
  private let windows: TestWindows
  /// The first test of the same name, by test: it stands for all of them.
  private let namesakes: [Int32]
  /// Whether a test answers for what it left behind, by test.
  private let claims: [Bool]

  /// - Returns: `nil` for a process that ran no tests, as far as the capture tells.
  init?(of capture: Capture, _ options: Analysis.Options) {
    guard !capture.tests.isEmpty || !capture.knownScopes.isEmpty else { return nil }
    tests = capture.tests
    scoped = Self.scoped(capture)
    knownScopes = Self.knownScopes(capture)
    windows = TestWindows(of: tests)
    namesakes = Self.namesakes(tests)
    claims = tests.indices.map { [tests] in
      // Whoever chose the objects wants to hear of them. While one test is judged, those beside it may claim
      // their objects yet.
      options.objects != nil || $0 == options.test || tests[$0].outcome.claims
        || (options.test != nil && tests[$0].outcome == .running)
    }
  }

  /// The test that made an object, or its stand-in; `nobody` if none is known to.
  func test(of object: LiveObject) -> Int32 {
    let test = object.scope == 0 ? nil : scoped[object.scope]
    let maker = test ?? windows.test(at: object.sequence)
    return isKnown(object) ? standIn(for: maker) : maker
  }

  /// What its scope has made since is not.
  private func isKnown(_ object: LiveObject) -> Bool {
    knownScopes[object.scope].map { object.sequence < $0 } ?? false
  }

  /// What the test left behind is told.
  func claims(_ test: Int32) -> Bool {
    let test = self.test(behind: test)
    return test >= 0 && claims[Int(test)]
  }

  /// The test that findings of equally named tests are told with; a stand-in's is one as well.
  func namesake(of test: Int32) -> Int32 {
    let maker = self.test(behind: test)
    let namesake = maker >= 0 ? namesakes[Int(maker)] : Self.nobody
    return isStandIn(test) ? standIn(for: namesake) : namesake
  }

  /// What it made is declared known.
  func isStandIn(_ test: Int32) -> Bool { test >= tests.count }

  /// - Parameter test: no stand-in; may be `nobody`.
  func standIn(for test: Int32) -> Int32 { test + Int32(tests.count) + 1 }

  /// The test that a stand-in stands for; others are themselves.
  func test(behind test: Int32) -> Int32 { isStandIn(test) ? test - Int32(tests.count) - 1 : test }

  /// Parents are smaller than the scopes in them, so that each is known when it is asked for.
  private static func scoped(_ capture: Capture) -> [UInt32: Int32] {
    var scoped: [UInt32: Int32] = [:]
    for (number, test) in capture.tests.enumerated() where test.scope != 0 {
      scoped[test.scope] = Int32(number)
    }
    guard !scoped.isEmpty else { return [:] }
    for (scope, parent) in capture.scopeParents.sorted(by: { $0.key < $1.key }) where scoped[scope] == nil {
      scoped[scope] = scoped[parent]
    }
    return scoped
  }

  private static func knownScopes(_ capture: Capture) -> [UInt32: UInt64] {
    guard !capture.knownScopes.isEmpty else { return [:] }
    return capture.scopeParents.sorted { $0.key < $1.key }.reduce(into: capture.knownScopes) { known, scope in
      guard let end = known[scope.value] else { return }
      known[scope.key] = max(end, known[scope.key] ?? 0)
    }
  }

  private static func namesakes(_ tests: [TestDescription]) -> [Int32] {
    struct Name: Hashable {
      var id: String
      var arguments: String
    }
    var first: [Name: Int32] = [:]
    return tests.enumerated().map { number, test in
      let name = Name(id: test.id, arguments: test.arguments)
      let known = first[name] ?? Int32(number)
      first[name] = known
      return known
    }
  }
}

extension TestDescription.Outcome {
  /// A test that failed or was skipped may not have come to clean up.
  package var claims: Bool {
    switch self {
    case .passed, .leaked: true
    case .running, .failed, .skipped: false
    }
  }
}

extension Finding {
  /// Says which test left the objects behind, and whether it has declared that known.
  mutating func attribute(to test: Int32, of attribution: TestAttribution?) {
    guard let attribution else { return }
    isKnown = attribution.isStandIn(test)
    let test = attribution.test(behind: test)
    guard test >= 0 else { return }
    let description = attribution.tests[Int(test)]
    self.test = description.id
    testCase = description.arguments.isEmpty ? nil : description.arguments
  }
}
