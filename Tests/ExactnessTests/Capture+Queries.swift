import LiveObjectsCapture
import Testing

extension Capture {
  /// Live instances of a type by its full name; those whose deinit has run do not count.
  func liveCount(of name: String) -> Int {
    objects.filter { !$0.isPinned && types[$0.type].name == name }.count
  }

  /// Raw buffers of this size.
  func rawBufferCount(ofBytes bytes: UInt64) -> Int {
    objects.filter { types[$0.type].kind == .rawBuffer && $0.bytes == bytes }.count
  }

  /// Checks that the process was watched with these settings, and that nothing was missed.
  func expectComplete(
    watching: Watching, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(tracking.state == .tracking, sourceLocation: sourceLocation)
    #expect(tracking.hookMode == watching.hookMode, sourceLocation: sourceLocation)
    #expect((tracking.stackSource != .off) == watching.hasStacks, sourceLocation: sourceLocation)
    #expect(tracking.countsRetains == watching.countsRetains, sourceLocation: sourceLocation)
    #expect(tracking.droppedRecords == 0, sourceLocation: sourceLocation)
    #expect(tracking.droppedStackTraces == 0, sourceLocation: sourceLocation)
    #expect(tracking.missedDeallocations == 0, sourceLocation: sourceLocation)
  }
}
