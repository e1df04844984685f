import CaptureFixtures
import Foundation
import LiveObjectsCapture
import Testing

@testable import LiveObjectsReport

@Suite struct JSONRendererTests {
  @Test func anyNameRoundTrips() throws {
    let name = "Demo.\"\\/\n\r\t\u{0}\u{1f}\u{7f}\u{85}\u{2028}\u{2029}\u{202e}é😀"
    var builder = CaptureBuilder()
    builder.objects(of: builder.type(name))
    let text = JSONRenderer().render(makeReport(of: builder))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let types = try #require(json["types"] as? [[String: Any]])
    #expect(types.first?["type"] as? String == name)
    let unprintable = text.unicodeScalars.filter { !$0.isPrintable && $0 != "\n" }
    #expect(unprintable.isEmpty)
  }

  @Test func anUnwatchedProcessIsNotComplete() throws {
    let blind = CaptureBuilder(tracking: TrackingStatus(state: .blind, notes: ["Why."]))
    let text = JSONRenderer().render(makeReport(of: blind))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let tracking = try #require(json["tracking"] as? [String: Any])
    #expect(tracking["complete"] as? Bool == false)
    #expect(tracking["watched"] as? Bool == false)
    #expect((tracking["notes"] as? [String])?.contains("Why.") == true)
  }
}
