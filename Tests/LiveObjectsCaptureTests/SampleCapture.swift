import CaptureFixtures
import LiveObjectsCapture

/// A capture that has something in every section.
func makeSampleCapture() -> CaptureBuilder {
  var builder = CaptureBuilder(
    tracking: TrackingStatus(
      state: .tracking, way: .slots, stackSource: .framePointers, countsRetains: true, depth: 3,
      droppedRecords: 1, droppedStackTraces: 2, missedDeaths: 3, allocations: 40, deaths: 30,
      notes: ["A note.", "Another, with ünïcödé."]))
  let library = builder.image("/usr/lib/libswiftCore.so", isSystem: true)
  let outer = builder.stackTrace([0x10, 0x20, 0x30])
  let inner = builder.stackTrace([0x40], image: library, continuing: outer, taking: 2)
  let nowhere = builder.stackTrace([0x7fff_0000_0000], image: nil)
  builder.objects(3, of: builder.type("Demo.Loader"), bytes: 64, stackTrace: inner, scope: 9)
  builder.retains(5, releases: 4)
  builder.objects(
    1, of: builder.type("", kind: .closureContextOrBox, image: nil, captureCount: 2), stackTrace: nowhere,
    strongCount: nil)
  builder.objects(2, of: builder.type("Demo.Session"), isPinned: true)
  return builder
}

/// A stream with one section's payload replaced.
func makeStream(replacing tag: String, with payload: [UInt8]) -> [UInt8] {
  let sections = makeSampleCapture().sections.map { ($0.tag, $0.tag == tag ? payload : $0.payload) }
  return CaptureBuilder.stream(sections)
}

/// The reason why bytes cannot be decoded; `nil` if they can.
func decodingError(_ bytes: [UInt8]) -> CaptureError? {
  do {
    _ = try Capture.decodeAll(bytes)
    return nil
  } catch {
    return error
  }
}
