/// Cycles through closures: `Handlers.swift` and `Closures.swift` of the fixture.
extension ExpectedFinding {
  static let handlers: [ExpectedFinding] = [
    .cycle("selfHandler", ["Screen → handler", "closure #1 in Screen.start() → self"]),
    .cycle(
      "clientSpy",
      [
        "ClientSpy → completions[0]",
        "closure #1 in ProfileLoader.load(_:completion:) → self",
        "ProfileLoader → client",
      ]),
    .cycle(
      "singleCaptureSpy",
      [
        "LastRequestSpy → completion",
        "closure #1 in NameLoader.load() → self",
        "NameLoader → spy",
      ], in: "NameLoader.init()"),
    .cycle("lazyClosure", ["Formatter → format", "closure #1 in Formatter.format.getter → self"]),
    .cycle("outerClosure", ["Reloader → onChange", "closure #1 in Reloader.start() → self"]),
    .cycle(
      "capturedVariable",
      ["Subscription → cancel", "closure #1 in observe() → captured Optional<Subscription>"], in: "observe()"),
    .cycle(
      "keepAlive",
      ["KeepAliveTimer → handler", "closure #1 in Connection.open() → captured KeepAliveTimer"],
      instances: 100, in: "Connection.init()"),
    .cycle("strongDelegate", ["Download → delegate", "Downloader → current"], in: "Downloader.start()"),
  ]

  static let closures: [ExpectedFinding] = [
    .cycle(
      "nestedClosures",
      [
        "Pipeline → run",
        "closure #2 in Pipeline.compose(_:) → captured function",
        "closure #1 in Pipeline.compose(_:) → self",
      ]),
    .cycle("methodReference", ["Button → action", "implicit closure #2 in Button.connect() → self"]),
    .cycle(
      "methodInTable",
      ["Switchboard → lines[value]", "implicit closure #2 in Switchboard.connect() → self"]),
    .cycle("genericClosure", ["Mapper → map", "closure #1 in Mapper.install(_:_:) → self"]),
    .cycle(
      "genericFunction",
      [
        "Holder<() -> ()> → value",
        "closure #1 in retainItself(_:beside:_:) → captured Holder<() -> ()>",
      ], victims: 2),
    .cycle(
      "keyPathArgument",
      ["Column → path", "Swift.KeyPath<Sheet, Swift.Int> → ", "Sheet → column"], victims: 1,
      in: "Sheet.init()", certainty: "probable"),
    .cycle("closureArray", ["Emitter → listeners[0]", "closure #1 in Emitter.listen() → self"]),
    .cycle("closureStruct", ["Service → hooks.didStop", "closure #1 in Service.install() → self"]),
    .cycle("unownedInsideCycle", ["Parser → onError", "closure #1 in Parser.start() → self"], victims: 1),
    .cycle("weakCaptureBesideStrong", ["Player → onEnd", "closure #2 in Player.start() → self"], victims: 2),
    .cycle("localFunction", ["Retry → attempt", "again #1 in Retry.start() → self"]),
    .cycle("asyncClosure", ["Fetcher → fetch", "closure #1 in Fetcher.start(_:) → self"]),
    .cycle("autoclosure", ["Checker → condition", "implicit closure #1 in Checker.start() → self"]),
    .cycle(
      "isolatedFunction",
      [
        "Entry → write",
        "closure #2 in Entry.start(_:) → captured function",
        "closure #1 in Entry.start(_:) → self",
      ]),
    .cycle(
      "genericArguments", ["Shelf<Swift.Int> → reload", "closure #1 in Shelf.load(_:) → self"], victims: 1),
  ]
}
