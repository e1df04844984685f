/// What only its owner can have done: `Owned.swift` of the fixture.
extension ExpectedFinding {
  static let owned: [ExpectedFinding] = [
    .cycle(
      "itemNotification",
      ["Export → item", "Dispatch.DispatchWorkItem → notification", "closure #2 in Export.prepare() → self"],
      certainty: "probable"),
    .cycle(
      "ownGroup",
      ["Party → group", "Dispatch.DispatchGroup → notification", "closure #1 in Party.wait() → self"],
      certainty: "probable"),
    .cycle(
      "queueValue",
      [
        "Route → queue", "Dispatch.DispatchQueue → specific value",
        "Dispatch._DispatchSpecificValue<Route> → value",
      ],
      certainty: "probable"),
    .cycle(
      "ownChannel",
      ["Tail → channel", "Dispatch.DispatchIO → cleanupHandler", "closure #1 in Tail.open() → self"],
      certainty: "probable"),
    .cycle(
      "ownMemory", ["Station → next", "raw buffer → ", "Station → next", "raw buffer → "],
      in: "static Station.line(closed:)", certainty: "probable"),
  ]

  /// Something else can do it.
  static let heldByWork: [ExpectedFinding] = [
    .held(
      "queuedItem", "Export", by: ["dispatch group, not left → ", "closure #2 in Export.prepare() → self"]),
    .held(
      "workOfGroup", "Party", by: ["dispatch group, not left → ", "closure #1 in Party.wait() → self"]),
    .held(
      "readingChannel", "Tail",
      by: ["dispatch channel, not closed → ", "closure #1 in Tail.open() → self"]),
    .held(
      "heldMemory", "Station", by: ["global platform → ", "raw buffer → "], instances: 2,
      in: "static Station.line(closed:)", certainty: "probable"),
    .held(
      "laterExecutor", "Agenda",
      by: [
        "global laterJobs → ", "JobList → jobs", "enqueued task in closure #1 in Agenda.begin() → closure",
        "closure #1 in Agenda.begin() → self",
      ], certainty: "probable"),
  ]
}
