#if canImport(Testing)
  // Swift Testing encodes its records with it, so it is in the process anyway.
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif

  /// The part of a Swift Testing record, of version 0 and later ones, that shows where tests begin and end.
  struct TestRecord: Decodable {
    struct Payload: Decodable {
      struct Message: Decodable {
        var symbol: String?
        var text: String
      }
      struct Issue: Decodable {
        var isKnown: Bool?
        var severity: String?
      }
      struct Place: Decodable {
        var fileID: String
        var filePath: String?
        /// Until Swift 6.2.
        var _filePath: String?
        var line: Int
        var column: Int
      }

      var kind: String
      // Of a test:
      var id: String?
      var name: String?
      var isParameterized: Bool?
      var sourceLocation: Place?
      // Of an event:
      var testID: String?
      var messages: [Message]?
      var issue: Issue?
    }

    /// `test` for a test that was found, `event` for what happens.
    var kind: String
    var payload: Payload

    /// - Returns: `nil` for JSON of another shape.
    init?(json: UnsafeRawBufferPointer) {
      guard let record = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
      self = record
    }

    /// Whether the issue fails its test: it is neither known nor a warning.
    var fails: Bool {
      guard payload.kind == "issueRecorded", let issue = payload.issue else { return false }
      return issue.isKnown != true && issue.severity != "warning"
    }

    /// Whether the test that ends was cancelled.
    var isCancelled: Bool { payload.messages?.contains { $0.symbol == "skip" } ?? false }

    /// The arguments of a test case that begins, as the library shows them: `number → 2`. Empty where it says
    /// it otherwise.
    var argumentsText: String {
      let text = payload.messages?.first?.text ?? ""
      // Swift 6.0 says `Passing 1 argument number → 2 to test(number:)`.
      let sentence = /(?:Test case p|P)assing \d+ arguments? (?<arguments>.*) to .*/.dotMatchesNewlines()
      return text.wholeMatch(of: sentence).map { String($0.arguments) } ?? ""
    }
  }
#endif
