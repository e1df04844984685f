import Testing

@testable import LiveObjectsCapture

@Suite struct CaptureErrorTests {
  @Test(
    arguments: [
      .empty, .notACapture, .unsupportedVersion(7), .cutOff, .damaged("a type is out of order"),
    ] as [CaptureError.Reason])
  func hasOneLineWithReasonPlaceAndRemedy(reason: CaptureError.Reason) {
    let text = CaptureError(offset: 1234, reason: reason).description
    #expect(!text.contains("\n"))
    #expect(text.contains("1234") || reason == .empty)
    #expect(text.contains(": "))
  }

  @Test func namesTheUnsupportedVersion() {
    let text = CaptureError(offset: 8, reason: .unsupportedVersion(7)).description
    #expect(text.contains("version 7"))
  }
}
