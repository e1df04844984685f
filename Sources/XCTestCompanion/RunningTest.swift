#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsCapture
  internal import TestWatching
  import XCTest

  /// A running test, from its begin on.
  ///
  /// Sendable because XCTest uses it on the main thread only.
  final class RunningTest: @unchecked Sendable {
    /// XCTest keeps all test cases for as long as it runs.
    unowned let testCase: XCTestCase
    let test: WatchedTest
    private let properties: StoredProperties
    private var words: [(name: String, word: UInt)] = []
    private var mark: UInt64 = 0

    init(_ testCase: XCTestCase, _ properties: StoredProperties) {
      self.testCase = testCase
      self.properties = properties
      test = WatchedTest(
        beginning: TestDescription(library: .xctest, id: testCase.identifier, sequenceNumbers: 0..<0))
    }

    /// Records the values of the properties at the end of the body, which `tearDown` may clear.
    func noteProperties() {
      Recorder.ignoring {
        words = properties.words(of: testCase)
        mark = Recorder.mark()
      }
    }

    /// The properties that held an object after the body, and no longer do.
    var clearedProperties: [ClearedProperty] {
      let owner = "\(type(of: testCase))"
      return zip(words, properties.words(of: testCase)).compactMap { before, now in
        guard before.word != 0, before.word != now.word else { return nil }
        return ClearedProperty(name: before.name, owner: owner, word: before.word, mark: mark)
      }
    }
  }

  extension XCTestCase {
    /// The id in the spelling of `swift test list`: `Module.Class/testMethod`.
    fileprivate var identifier: String { "\(String(reflecting: type(of: self)))/\(method)" }

    /// XCTest's name of a test is `Class.testMethod`.
    private var method: Substring { name.split(separator: ".").last ?? "" }

    /// The method with its module and class, or a superclass that it may be inherited from, the nearest
    /// first.
    var methodNames: [String] {
      var names: [String] = []
      var type: AnyClass? = type(of: self)
      while let current = type, current != XCTestCase.self {
        names.append("\(String(reflecting: current)).\(method)")
        type = _getSuperclass(current)
      }
      return names
    }

    /// An address in the image that contains the class and its methods.
    var classAddress: UInt { UInt(bitPattern: ObjectIdentifier(type(of: self))) }
  }
#endif
