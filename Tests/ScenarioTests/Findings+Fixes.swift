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
  ]
}
