import LiveObjects
import LiveObjectsCapture
import LiveObjectsSystem
import XCTest

final class RequestTests: XCTestCase {
  func testAProgramThatLinksTheLibraryAnswers() throws {
    try LiveObjects.start()
    try LiveObjects.answerRequests()
    try LiveObjects.answerRequests()
    plant(Planted())
    let capture = try Capture(decoding: answer(to: "counts\n"))
    XCTAssertEqual(Int32(capture.process.id), getpid())
    let planted = try XCTUnwrap(capture.types.firstIndex { $0.name == "LiveObjectsTests.Planted" })
    XCTAssertGreaterThan(capture.countedTypes?.first { $0.type == planted }?.objects ?? 0, 0)
    XCTAssertFalse(try Capture(decoding: answer(to: "snapshot start\n")).objects.isEmpty)
    XCTAssertEqual(try answer(to: "something else\n"), [])
  }

  func testWithoutTrackingNothingAnswers() {
    LiveObjects.stop()
    XCTAssertThrowsError(try LiveObjects.answerRequests()) {
      XCTAssertEqual($0 as? LiveObjects.TrackingError, .notTracking)
    }
  }

  private func answer(to request: String) throws -> [UInt8] {
    let socket = try Socket.connected(to: "/tmp/liveobjects-\(geteuid())/\(getpid()).socket")
    defer { socket.close() }
    var rest = Array(request.utf8)[...]
    var answer: [UInt8] = []
    while case .progress = socket.exchange(&rest, &answer, timeout: .seconds(60)) {}
    return answer
  }
}
