import Foundation
import TestSupport
import Testing

/// What a scenario's hint must say, without files and lines.
struct ExpectedHint: Sendable, CustomTestStringConvertible {
  var scenario: String
  /// `nil` where no reference is a likely mistake.
  var text: String?

  var testDescription: String { scenario }
}

extension Scenarios {
  @Suite struct HintTests {
    @Test("a hint names the reference to cut, where it is written, and how", arguments: ExpectedHint.all)
    func hint(expected: ExpectedHint) throws {
      let leak = try #require(try ScenarioReport.shared(of: expected.scenario).leaks.first)
      #expect(leak.hint?.unlocatedText == expected.text)
      for place in leak.hint?.places ?? [] {
        if let line = try Self.sourceLine(of: place) {
          #expect(Self.isWritten(place, in: line), "\(place) \(line)")
        } else {
          #expect(ExpectedHint.unlocated.contains(expected.scenario), "\(place)")
        }
      }
    }

    @Test("a hint on a held object says what ends that", arguments: ExpectedFinding.heldByCalls)
    func heldHint(expected: ExpectedFinding) throws {
      let findings = try ScenarioReport.shared(of: expected.scenario).findings
      let held = try #require(findings.first { $0.observed(for: expected) == expected }, "\(findings)")
      #expect(held.hint?.unlocatedText == ExpectedHint.held[expected.scenario])
    }

    /// Text and bytes have no elements to remove.
    @Test(
      "a collection that grew has the call that adds to it, one that was assigned has none",
      arguments: ExpectedFinding.growing)
    func growthHint(expected: ExpectedFinding) throws {
      let findings = try ScenarioReport.shared(of: expected.scenario).findings
      let grown = try #require(findings.first { $0.observed(for: expected) == expected }, "\(findings)")
      let hasElements = expected.elements != nil && expected.type != "Foundation.Data"
      #expect((grown.hint?.action == "limitCollection") == (hasElements && !expected.isAssigned), "\(grown)")
    }

    private static func sourceLine(of place: JSONReport.Hint.Place) throws -> String? {
      guard let file = place.file, let line = place.line else { return nil }
      return try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")[line - 1]
    }

    private static func isWritten(_ place: JSONReport.Hint.Place, in line: String) -> Bool {
      let property = place.name.split(separator: ".").last.map(String.init) ?? ""
      return place.kind == "property"
        ? line.contains("var \(property)") || line.contains("let \(property)")
        : line.contains("{") || line.contains("self") || line.contains("(")
    }

    @Test("every cycle has an expected hint")
    func coverage() {
      let hints = Set(ExpectedHint.all.map(\.scenario))
      #expect(hints == Set(ExpectedFinding.cycles.map(\.scenario)))
    }

    @Test("an over-retained object's hint names the call that retained it, if retains were recorded")
    func missingRelease() throws {
      let report = try ScenarioReport(of: "passRetained", options: "retains=Scenarios.Handle")
      let hint = try #require(report.leaks.first?.hint)
      #expect(hint.action == "release" && hint.text.contains("Handle.giveAway()"), "\(hint.text)")
      #expect(try ScenarioReport(of: "passRetained").leaks.first?.hint == nil)
    }
  }
}

extension JSONReport.Hint {
  /// Without files and lines.
  fileprivate var unlocatedText: String {
    text.replacing("Scenarios.", with: "").replacing(/(, | \()\w+\.swift:\d+\)?/, with: "")
  }
}
