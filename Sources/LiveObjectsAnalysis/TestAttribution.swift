import LiveObjectsCapture

/// The attribution of a capture's objects to the tests that allocated them.
struct TestAttribution {
  let tests: [TestDescription]
  /// Tests by their scopes and by those opened inside.
  private let scoped: [UInt32: Int]
  /// The sequence numbers below which objects are known issues, by scope; with the scopes opened inside.
  private let knownIssueScopes: [UInt32: UInt64]
  /// The tests that own all objects allocated while they ran.
  private let windows: TestWindows
  /// The first test of the same name, by test: findings of all of them are reported with it.
  private let namesakes: [Int]
  /// Whether a test is accountable for the objects that it left behind, by test.
  private let isAccountable: [Bool]
  /// The tests by the names of their functions; -1 for functions that run as several cases.
  private let functions: [String: Int]

  /// - Returns: `nil` for a process that ran no tests, as far as the capture shows.
  init?(of capture: Capture, _ options: Analysis.Options) {
    guard !capture.tests.isEmpty || !capture.knownIssueScopes.isEmpty else { return nil }
    tests = capture.tests
    scoped = Self.scoped(capture)
    knownIssueScopes = Self.knownIssueScopes(capture)
    windows = TestWindows(of: tests)
    // The names of thousands of tests, which the evaluation of a single one does not need.
    namesakes = options.test == nil ? Self.namesakes(tests) : Array(tests.indices)
    functions = options.test == nil ? Self.functions(tests, namesakes) : [:]
    isAccountable = tests.indices.map { [tests] in
      // Objects that the caller chose are reported in any case. While one test is evaluated, tests that run
      // in parallel may still become accountable for their objects.
      options.objects != nil || $0 == options.test || tests[$0].outcome.isAccountable
        || (options.test != nil && tests[$0].outcome == .running)
    }
  }

  /// The owner of an object, known issues by sequence number: later objects of a scope are none.
  func owner(of object: LiveObject) -> ObjectOwner {
    let test = object.scope == 0 ? nil : scoped[object.scope]
    return ObjectOwner(test: test ?? windows.test(at: object.sequence), isKnownIssue: isKnownIssue(object))
  }

  private func isKnownIssue(_ object: LiveObject) -> Bool {
    knownIssueScopes[object.scope].map { object.sequence < $0 } ?? false
  }

  /// Whether a test is accountable for the owner's objects, so that they are reported with it.
  func isAccountable(_ owner: ObjectOwner) -> Bool {
    owner.test.map { isAccountable[$0] } ?? false
  }

  /// The owner that findings are reported with: the first of all tests of the same name.
  func reportedOwner(for owner: ObjectOwner) -> ObjectOwner {
    ObjectOwner(test: owner.test.map { namesakes[$0] }, isKnownIssue: owner.isKnownIssue)
  }

  /// The one test whose function is among these, or has a closure that is; `nil` where there is none or more
  /// than one.
  ///
  /// - Parameter names: with their modules.
  func test(naming names: some Sequence<String>) -> Int? {
    var found: Int?
    for name in names {
      let start = name.end(ofLast: " in ") ?? name.startIndex
      guard let test = functions[String(name[start...])], test != found else { continue }
      guard found == nil, test >= 0 else { return nil }
      found = test
    }
    return found
  }

  /// `DemoTests.LoaderTests/load()` is the function `DemoTests.LoaderTests.load()`.
  private static func functions(_ tests: [TestDescription], _ namesakes: [Int]) -> [String: Int] {
    var functions: [String: Int] = [:]
    for (test, first) in zip(tests, namesakes) {
      let name = test.id.withDotsForSlashes + (test.library == .xctest ? "()" : "")
      functions[name] = functions[name, default: first] == first ? first : -1
    }
    return functions
  }

  /// Parents are smaller than the scopes inside them: each has its test before its children need it.
  private static func scoped(_ capture: Capture) -> [UInt32: Int] {
    var scoped: [UInt32: Int] = [:]
    for (number, test) in capture.tests.enumerated() where test.scope != 0 {
      scoped[test.scope] = number
    }
    guard !scoped.isEmpty else { return [:] }
    for (scope, parent) in capture.scopeParents.sorted(by: { $0.key < $1.key }) where scoped[scope] == nil {
      scoped[scope] = scoped[parent]
    }
    return scoped
  }

  private static func knownIssueScopes(_ capture: Capture) -> [UInt32: UInt64] {
    guard !capture.knownIssueScopes.isEmpty else { return [:] }
    return capture.scopeParents.sorted { $0.key < $1.key }.reduce(into: capture.knownIssueScopes) {
      known, scope in
      guard let end = known[scope.value] else { return }
      known[scope.key] = max(end, known[scope.key] ?? 0)
    }
  }

  private static func namesakes(_ tests: [TestDescription]) -> [Int] {
    var first: [[String]: Int] = [:]
    return tests.enumerated().map { number, test in
      let name = [test.id, test.arguments]
      let known = first[name] ?? number
      first[name] = known
      return known
    }
  }
}

extension TestDescription.Outcome {
  /// Whether the test is accountable for objects that it left behind: one that failed or was skipped may not
  /// have cleaned up.
  package var isAccountable: Bool {
    switch self {
    case .passed, .leaked: true
    case .running, .failed, .skipped: false
    }
  }
}

extension Finding {
  /// Sets the test that left the objects behind, and whether it has declared them a known issue.
  mutating func attribute(to owner: ObjectOwner, of attribution: TestAttribution?) {
    guard let attribution else { return }
    acceptance = owner.isKnownIssue ? .knownIssue : nil
    guard let test = owner.test else { return }
    let description = attribution.tests[test]
    self.test = description.id
    testCase = description.testCase
  }
}

/// The test without a scope that ran at each moment: the inner one where one test runs another.
struct TestWindows {
  private struct Change {
    var sequence: UInt64
    var test: Int?
  }

  /// The moments at which another test begins to run, or none; ascending.
  private var changes: [Change] = []

  init(of tests: [TestDescription]) {
    let windows = tests.indices.filter { tests[$0].scope == 0 }
      .sorted { tests[$0].sequenceNumbers.lowerBound < tests[$1].sequenceNumbers.lowerBound }
    var running: [Int] = []
    for window in windows {
      let begin = tests[window].sequenceNumbers.lowerBound
      end(&running, upTo: begin, tests)
      running.append(window)
      changes.append(Change(sequence: begin, test: window))
    }
    end(&running, upTo: .max, tests)
  }

  /// Ends the tests that are over, the innermost first.
  private mutating func end(_ running: inout [Int], upTo limit: UInt64, _ tests: [TestDescription]) {
    while let inner = running.last, tests[inner].sequenceNumbers.upperBound <= limit {
      let end = tests[inner].sequenceNumbers.upperBound
      while let test = running.last, tests[test].sequenceNumbers.upperBound <= end { running.removeLast() }
      changes.append(Change(sequence: end, test: running.last))
    }
  }

  func test(at sequence: UInt64) -> Int? {
    let next = changes.partitionIndex { $0.sequence > sequence }
    return next > 0 ? changes[next - 1].test : nil
  }
}

/// The test that allocated an object, if any, and whether the test has declared the object a known issue.
struct ObjectOwner: Hashable {
  /// No test.
  static let unattributed = ObjectOwner(test: nil)

  /// The number of the test plus one, 0 for none, and the known issue in the lowest bit: a heap has tens of
  /// millions of objects.
  private let bits: UInt32

  /// - Parameter test: index into `Capture.tests`; `nil` for none.
  init(test: Int?, isKnownIssue: Bool = false) {
    bits = UInt32((test ?? -1) + 1) << 1 | (isKnownIssue ? 1 : 0)
  }

  /// Index into `Capture.tests`; `nil` for an unattributed object.
  var test: Int? { bits >> 1 == 0 ? nil : Int(bits >> 1) - 1 }

  var isKnownIssue: Bool { bits & 1 == 1 }
}
