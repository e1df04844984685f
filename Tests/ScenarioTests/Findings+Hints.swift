/// The hints of all cycles.
extension ExpectedHint {
  /// The declaration of a nested property is in a type that the reference does not name, and an autoclosure's
  /// code belongs to no line.
  static let unlocated: Set<String> = [
    "autoclosure", "mutexState", "noncopyableInGeneric", "structField", "linkInStruct", "nestedStruct",
    "optionalStruct", "enumPayloadStruct", "result", "inlineExistential", "parameterizedExistential",
    "managedBuffer", "structOnTwoPaths", "structInDictionary", "noncopyable", "error",
  ]

  static let all =
    capturedSelf + suspended + observation + unclear + strongProperty + constantProperty
    + others.map { ExpectedHint(scenario: $0.key, text: $0.value) }

  private static let observation: [ExpectedHint] = {
    #if compiler(>=6.3)
      let closure = "closure #2 in implicit closure #1 in Mixer.watch()"
      return [.init(scenario: "observedItself", text: "\(closure) captures self strongly: capture it weakly")]
    #else
      return []
    #endif
  }()

  /// Scenarios in which one closure captures `self`.
  private static let capturedSelf = [
    "selfHandler": "closure #1 in Screen.start()",
    "lazyClosure": "closure #1 in Formatter.format.getter",
    "outerClosure": "closure #1 in Reloader.start()",
    "genericClosure": "closure #1 in Mapper.install(_:_:)",
    "closureArray": "closure #1 in Emitter.listen()",
    "closureStruct": "closure #1 in Service.install()",
    "unownedInsideCycle": "closure #1 in Parser.start()",
    "asyncClosure": "closure #1 in Fetcher.start(_:)",
    "objectSubclass": "closure #1 in Wrapper.start()",
    "observable": "closure #1 in Model.start()",
    "enumClosure": "closure #1 in MenuItem.connect()",
    "clientSpy": "closure #1 in ProfileLoader.load(_:completion:)",
    "singleCaptureSpy": "closure #1 in NameLoader.load()",
    "nestedClosures": "closure #1 in Pipeline.compose(_:)",
    "actorClosure": "closure #1 in Counter.start()",
    "workItem": "closure #1 in Debouncer.schedule()",
    "decoderSubclass": "closure #1 in TracingDecoder.start()",
    "operationBlock": "closure #1 in ExportOperation.start(_:)",
    "unscheduledSource": "closure #1 in Heartbeat.startUnscheduled()",
    "dataSource": "closure #1 in Heartbeat.countNumbers()",
    "itemNotification": "closure #2 in Export.prepare()",
    "ownGroup": "closure #1 in Party.wait()",
    "ownChannel": "closure #1 in Tail.open()",
    "handlerInOwnPart": "closure #1 in Panel.wire()",
    "parameterPack": "closure #1 in Recorder.start()",
  ].map { ExpectedHint(scenario: $0.key, text: "\($0.value) captures self strongly: capture it weakly") }

  private static let suspended = [
    "inactiveSource": "closure #1 in Heartbeat.makeTimer()",
    "suspendedSource": "closure #1 in Heartbeat.makeTimer()",
    "sourceWithCancelHandler": "closure #2 in PipeReader.startWithCancelHandler()",
    "suspendedQueue": "closure #1 in Outbox.send()",
  ].map {
    ExpectedHint(
      scenario: $0.key,
      text: "\($0.value) captures self strongly, and its dispatch source or queue is suspended: "
        + "resume it, and cancel a source that is not needed any more")
  }

  /// Scenarios in which one property is to be weak.
  private static let strongProperty = [
    "weakDelegateMissing": "Sensor.sensorDelegate",
    "linkedNodes": "ListNode.previous",
    "genericParent": "TreeNode<Int>.up",
    "linkInStruct": "Chapter.link.chapter",
    "parentInSuperclass": "PageText.parent",
    "strongDelegate": "Download.delegate",
    "twoObjects": "Book.author",
    "figureEight": "Spoke.hub",
    "genericSuperclass": "Session.User.session",
    "propertyWrapper": "Field.form",
    "mutexState": "Registry.state.owner",
    "privateProperty": "Vault.Key.vault",
    "unownedBeside": "Window.document",
    "implicitlyUnwrapped": "View.controller",
    "managedBuffer": "RingBuffer.header.owner",
    "noncopyableInGeneric": "Library<Int>.policy.owner",
    "noncopyable": "House.lease.tenant",
    "structField": "Table.cell.table",
    "nestedStruct": "Nesting.outer.inner.ref",
    "optionalStruct": "Editor.selection.editor",
    "enumPayloadStruct": "Channel.state.owner",
    "result": "Operation.result.operation",
    "array": "Item.parent",
    "arrayOfStructs": "Item.parent",
    "arrayOfArrays": "Item.parent",
    "dictionaryValue": "Item.parent",
    "dictionaryKey": "Item.parent",
    "dictionaryOfArrays": "Item.parent",
    "set": "Item.parent",
    "arraySlice": "Item.parent",
    "contiguousArray": "Item.parent",
    "optionalArray": "Item.parent",
    "classExistential": "Watcher.host",
    "anyObject": "Watcher.host",
    "inlineExistential": "Host.plugin.host",
    "dictionaryOfAny": "Watcher.host",
    "parameterizedExistential": "Host.integers.host",
    "composition": "Watcher.host",
    "operationSubclass": "ImportOperation.coordinator",
    "twoCyclesOfOneKind": "Book.author",
    "error": "Failure.operation",
    "structOnTwoPaths": "RouteMap.first.origin",
  ].map { ExpectedHint(scenario: $0.key, text: "\($0.value) is a strong reference: declare it weak") }

  /// The same, of constants and lazy properties.
  private static let constantProperty = [
    "createdChild": "LoginRequest.context",
    "lazyObject": "Toolbar.page",
    "structInDictionary": "Turn.counter",
  ].map { ExpectedHint(scenario: $0.key, text: "\($0.value) is a strong reference: declare it as weak var") }

  private static let others = [
    "twoHandlers":
      "closure #1 in Dialog.start() and closure #2 in Dialog.start() capture self strongly: capture it weakly in each",
    "workItemItself":
      "closure #1 in plantWorkItemItself() captures a variable strongly: set it to nil when it is not needed any more",
    "methodReference":
      "implicit closure #2 in Button.connect() captures self strongly: use a closure that captures it weakly",
    "methodInTable":
      "implicit closure #2 in Switchboard.connect() captures self strongly: use a closure that captures it weakly",
    "weakCaptureBesideStrong":
      "closure #2 in Player.start() captures self strongly: capture it weakly",
    "localFunction":
      "again #1 in Retry.start() captures self strongly: use a closure that captures it weakly",
    "autoclosure":
      "implicit closure #1 in Checker.start() captures self strongly: use a closure that captures it weakly",
    "itself":
      "Singleton.itself is a strong reference: set it to nil when the object is not needed any more",
    "inheritedProperty":
      "make one of these references weak: Engine.car; Truck.engine",
    "isolatedFunction":
      "closure #1 in Entry.start(_:) captures self strongly: capture it weakly",
    "genericArguments":
      "closure #1 in Shelf.load(_:) captures self strongly: capture it weakly",
    "handlersOfBoth":
      "make one of these references weak: Sender in closure #2 in plantHandlersOfBoth(); Receiver in closure #1 in plantHandlersOfBoth()",
    "capturedHelper":
      "make one of these references weak: FieldWorker in closure #1 in plantCapturedHelper(); FieldWorker.job",
    "capturedVariable":
      "closure #1 in observe() captures a variable strongly: set it to nil when it is not needed any more",
    "keepAlive":
      "closure #1 in Connection.open() captures KeepAliveTimer strongly: capture it weakly",
    "genericFunction":
      "closure #1 in retainItself(_:beside:_:) captures Holder<() -> ()> strongly: capture it weakly",
    "onTermination":
      "closure #1 in closure #1 in Feed.start() captures self strongly: capture it weakly",
    "threeObjects":
      "make one of these references weak: Album.band; Band.city; City.favourite",
    "recursiveClosure":
      "closure #1 in countDown(from:) captures a variable of a function strongly: set it to nil after the last call, or make it a local function",
    "openProtocol":
      "Grid.dataSource is a strong reference: limit its protocol to classes (AnyObject), then declare it weak",
    "addsItself":
      "the entry stored in Member.join(), keeps its object: remove it when the object is not needed any more",
    "capturedPart":
      "closure #1 in Stage.adding(_:) captures source strongly, as a part of a value: capture only the parts that it needs",
    "cycleWithVictims":
      "make one of these references weak: Engine.car; Vehicle.engine",
  ]

  /// How to end what holds an object, where the program says when that is.
  static let held = [
    "timerSource":
      "closure #1 in Heartbeat.makeTimer() captures self strongly: capture it weakly, or cancel the dispatch source",
    "readSource":
      "closure #1 in PipeReader.start() captures self strongly: capture it weakly, or cancel the dispatch source",
    "signalSource":
      "closure #1 in Heartbeat.countSignals() captures self strongly: capture it weakly, or cancel the dispatch source",
    "scheduledTimer":
      "closure #1 in Ticker.makeTimer() captures self strongly: capture it weakly",
    "timerOfThread":
      "closure #1 in Miner.addTimer() captures self strongly: capture it weakly",
    "notificationToken":
      "closure #1 in Badge.start() captures self strongly: capture it weakly, or remove the observer",
  ].merging(sleeping) { $1 }

  private static let sleeping: [String: String] = {
    #if compiler(>=6.3)
      let text =
        "end the task when the object that keeps it is not needed any more: closure #1 in Poller.start()"
      return ["endlessTask": text]
    #else  // Debian's concurrency library is stripped: it does not say that the task sleeps.
      return [:]
    #endif
  }()

  /// Enum cases, tuples, values of any type and lists, which cannot be weak, or need their references.
  private static let unclear = [
    "localType", "longCycle", "genericClass", "helperInClosures", "tuple", "enumSingle", "enumMulti",
    "enumIndirect", "optionalOptional",
    "boxedExistential", "any", "arrayOfExistentials", "keyPathArgument", "objectBox", "typeErasure",
    "unscheduledTimer", "queueValue", "ownMemory",
  ].map { ExpectedHint(scenario: $0, text: nil) }
}

extension ExpectedFinding {
  /// Objects that a library or a task will use again.
  static let heldByCalls =
    heldObjects.filter { ExpectedHint.held[$0.scenario] != nil } + heldByHandlers + heldByThreads
}
