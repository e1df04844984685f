/// Cycles through the concurrency runtime, Dispatch and Foundation: `Concurrency.swift` and `Libraries.swift` of
/// the fixture.
extension ExpectedFinding {
  static let libraries: [ExpectedFinding] = [
    .cycle(
      "actorClosure", ["Counter → onCount", "closure #1 in Counter.start() → self"],
      in: "makeActorClosure()"),
    .cycle(
      "onTermination",
      [
        "Feed → events",
        "Swift.AsyncStream<Event>._Context → storage",
        "Swift.AsyncStream<Event>._Storage → state",
        "closure #1 in closure #1 in Feed.start() → self",
      ]),
    .cycle(
      "workItem",
      [
        "Debouncer → workItem",
        "Dispatch.DispatchWorkItem → _block",
        "closure #1 in Debouncer.schedule() → self",
      ], certainty: "probable"),
    .cycle("objectSubclass", ["Wrapper → handler", "closure #1 in Wrapper.start() → self"]),
    .cycle(
      "decoderSubclass",
      ["TracingDecoder → onDecode", "closure #1 in TracingDecoder.start() → self"], victims: 1),
    .cycle(
      "operationSubclass", ["ImportCoordinator → operation", "ImportOperation → coordinator"],
      victims: 3),
    .cycle(
      "operationBlock",
      ["ExportOperation → __completion", "closure #1 in ExportOperation.start(_:) → self"],
      victims: 3),
    .cycle(
      "objectBox",
      [
        "Ticket → queue",
        "Foundation.NSMutableArray → _storage[0]",
        "Foundation.__SwiftValue → value",
      ]),
  ]

  /// Held, and the holder is named: nothing here is a leak that could be shown.
  static let heldObjects: [ExpectedFinding] = [
    .held(
      "endlessTask", "Poller",
      by: [
        "Poller → task", "suspended task in closure #1 in Poller.start() → closure",
        "closure #1 in Poller.start() → self",
      ]),
    .held(
      "streamContinuations", "Listener",
      by: [
        "static Broadcaster.shared → ",
        "Broadcaster → continuations[0]",
        "Swift.AsyncStream<Event>._Storage → state",
        "closure #1 in closure #1 in Broadcaster.subscribe(_:) → captured Listener",
      ], instances: 10),
    .held(
      "streamContinuations", "closure #1 in Listener.start()",
      by: [
        "static Broadcaster.shared → ",
        "Broadcaster → continuations[0]",
        "Swift.AsyncStream<Event>._Storage → state",
        "suspended task in closure #1 in Listener.start() → closure",
      ], instances: 10, in: "Listener.start()", certainty: "probable"),
    notificationToken,
    .held(
      "callbackList", "Toast",
      by: [
        "static EventBus.shared → ",
        "EventBus → callbacks[0]",
        "closure #1 in Toast.present(_:) → self",
      ], instances: 10),
    .held(
      "boundedCache", "Thumbnail", by: ["static Thumbnails.cache → [value]"], instances: 8,
      in: "static Thumbnails.thumbnail(_:)"),
    .held(
      "globalVariable", "Theme", by: ["global currentSettings → ", "Settings → theme"],
      in: "Settings.init()"),
    .held("globalArray", "Theme", by: ["global history → [0]"], instances: 5),
    .held(
      "sharedDiamond", "Bottom", by: ["global diamond → ", "Top → left", "Side → bottom"]),
    .held("heldCycle", "Book", by: ["global heldAuthor → ", "Author → book"]),
    .held("longList", "Link", by: ["global list → "], instances: 100_000),
    .held(
      "retainedPointer", "Handle", by: ["global callout → ", "Callout → pointer"], certainty: "probable"),
    .held(
      "rawStorage", "Handle", by: ["global drawer → ", "Drawer → contents", "raw buffer → "],
      certainty: "probable"),
    .held(
      "pointerBesideUnknown", "Handle",
      by: ["global envelope → ", "Envelope<Swift.Int, Swift.String> → pointer"], certainty: "probable"),
    .held("metatypeInTuple", "Message", by: ["global message → "]),
    .held(
      "emptyPack", "Button",
      by: [
        "global bell → ", "Bell → action", "closure #1 in connect(_:_:_:) → captured Button",
      ]),
  ]

  /// Foundation's storage of observers is an implementation detail, which changed with 6.3.
  private static let notificationToken: ExpectedFinding = {
    #if compiler(>=6.3)
      let path = [
        "global FoundationEssentials._defaultCenter → ",
        "FoundationEssentials.NotificationCenter → registrar[value][value].storage[value]",
        "closure #1 in closure #2 in FoundationEssentials.NotificationCenter._addObserver(_:object:using:)"
          + " → captured function",
      ]
    #else
      // Debian's Foundation is stripped: the variable has no name.
      let path = [
        "global in libFoundation.so → ",
        "Foundation.NotificationCenter → _observers[value][value][value]",
        "Foundation.NSNotificationReceiver → block",
      ]
    #endif
    return .held(
      "notificationToken", "Badge", by: path + ["closure #1 in Badge.start() → self"])
  }()
}
