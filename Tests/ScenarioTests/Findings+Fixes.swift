/// Cycles that differ in their fix: `Fixes.swift` of the fixture.
extension ExpectedFinding {
  static let fixes: [ExpectedFinding] = [
    .cycle("twoHandlers", ["Dialog → onAccept", "closure #1 in Dialog.start() → self"]),
    .cycle("createdChild", ["LoginRequest → context", "LoginSession → request"], in: "LoginSession.begin()"),
    .cycle("weakDelegateMissing", ["Sensor → sensorDelegate", "Thermostat → sensor"], objects: 2),
    .cycle("linkedNodes", ["ListNode → next", "ListNode → previous"], objects: 2),
    .cycle(
      "handlersOfBoth",
      [
        "Receiver → onReceive", "closure #2 in plantHandlersOfBoth() → captured Sender", "Sender → onSend",
        "closure #1 in plantHandlersOfBoth() → captured Receiver",
      ]),
    .cycle(
      "capturedHelper",
      [
        "FieldJob → finish", "closure #1 in plantCapturedHelper() → captured FieldWorker",
        "FieldWorker → job",
      ]),
    .cycle("genericParent", ["TreeNode<Swift.Int> → children[0]", "TreeNode<Swift.Int> → up"]),
    .cycle("parentInSuperclass", ["PageBody → text", "PageText → parent"], objects: 2),
    .cycle("linkInStruct", ["Chapter → chapters[0]", "Chapter → link.chapter"]),
    .cycle(
      "workItemItself",
      [
        "Dispatch.DispatchWorkItem → _block",
        "closure #1 in plantWorkItemItself() → captured Optional<Dispatch.DispatchWorkItem>",
      ], certainty: "probable"),
    .cycle(
      "handlerInOwnPart",
      ["KeyPad → handlers[value]", "closure #1 in Panel.wire() → self", "Panel → keys"], in: "Panel.init()"),
    .cycle(
      "helperInClosures", ["Memo → next", "closure #1 in memoized(_:) → captured Memo"], in: "memoized(_:)"),
    ExpectedFinding(
      scenario: "recursiveClosure", verdict: "retainCycle", type: "closure in countDown(from:)",
      path: ["closure #1 in countDown(from:) → captured variable"], victims: 1,
      callSite: "countDown(from:)"),
    .cycle("structOnTwoPaths", ["RouteMap → first.origin"]),
    .cycle("structInDictionary", ["TurnCounter → tickets[value].counter"]),
    .cycle("openProtocol", ["Grid → dataSource", "GridPage → grid"], in: "GridPage.init()"),
    .cycle("addsItself", ["Member → roster", "Roster → members[0]"]),
    .cycle("capturedPart", ["StageSource → check", "closure #1 in Stage.adding(_:) → self.source"]),
    .cycle(
      "parameterPack", ["Recorder → callbacks", "closure #1 in Recorder.start() → self"],
      certainty: "probable"),
  ]

  static let observation: [ExpectedFinding] = {
    #if compiler(>=6.3)
      let library = "static Observation.ObservationTracking._installTracking"
      let state = "Observation._ManagedCriticalState<Observation.ObservationRegistrar.State>.LockedBuffer"
      let path = [
        "Mixer → _$observationRegistrar.extent",
        "Observation.ObservationRegistrar.Extent → context.state.buffer",
        "\(state) → header.observations[value].kind",
        "closure #3 in closure #1 in \(library)(_:willSet:didSet:) → captured function",
        "closure #1 in \(library)(_:onChange:) → captured function",
        "closure #2 in implicit closure #1 in Mixer.watch() → self",
      ]
      return [.cycle("observedItself", path, victims: 5)]
    #else  // Debian's library is stripped.
      return []
    #endif
  }()
}
