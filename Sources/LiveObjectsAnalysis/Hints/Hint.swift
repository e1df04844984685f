extension Finding {
  /// How to fix a leak: the references to make weak, or the call that is missing.
  public struct Hint: Sendable, Hashable {
    /// What to do at the places.
    public enum Action: String, Sendable, CaseIterable {
      /// Capture the object weakly, at each of the places.
      case captureWeakly
      /// Declare the property weak.
      case declareWeak
      /// Make one of the references weak, whichever the program does not need to keep its target.
      case makeOneWeak
      /// Set the property, or the variable that a closure captures, to nil when the object is not needed any more.
      case setToNil
      /// Capture only the parts of a value that the closure uses: no value can be captured weakly.
      case captureParts
      /// Limit the protocol to classes, then declare the property weak.
      case limitProtocol
      /// Remove the object from the collection when it is not needed any more.
      case removeEntry
      /// Balance the retain with a release.
      case release
      /// Close the channel of SwiftNIO, which dismantles its pipeline.
      case closeChannel
      /// Finish the embedded channel of SwiftNIO, which closes it and runs its event loop.
      case finishChannel
      /// Complete the promise of SwiftNIO on every path.
      case completePromise
      /// Cancel the scheduled task of SwiftNIO.
      case cancelTask
      /// Resume the continuation exactly once on every path.
      case resumeContinuation
      /// Iterate a captured copy of the stream, not a property of an object that also keeps its continuation.
      case iterateCopy
      /// Finish the stream.
      case finishStream
      /// Remove elements of the collection, or limit their number.
      case limitCollection
      /// Invalidate the URL session of Foundation.
      case invalidateSession
      /// Assign by a closure that captures the object weakly: `assign(to:on:)` of OpenCombine holds it.
      case assignWeakly
      /// Capture the object weakly, or cancel the dispatch source when the object is not needed any more.
      case cancelSource
      /// Resume or activate the dispatch source or queue that has the closure; cancel a source when the object is not
      /// needed any more. Released while it is suspended, it ends the process.
      case resumeDispatchObject
      /// Capture the object weakly, or remove the observer from the notification center when the object is not needed
      /// any more.
      case removeObserver
      /// End the task when the object that keeps it is not needed any more.
      case endTask
      /// Capture the object weakly that the task observes, or cancel the task.
      case endObservation
      /// Clear the property of a test case in `tearDown()`: XCTest keeps test cases until the process ends.
      case clearProperty
    }

    /// A line of the program.
    public struct Place: Sendable, Hashable {
      /// What is at the place.
      public enum Kind: String, Sendable, CaseIterable {
        case closure
        /// A function inside of a function.
        case localFunction
        /// A reference to a method, or an autoclosure.
        case implicitClosure
        case property
        /// A call: the function that contains it.
        case call
        /// Where a task is suspended: its function.
        case suspension
      }
      public var kind: Kind
      /// With the module: `closure #1 in Demo.Loader.load()`, `Demo.Loader.delegate`.
      public var name: String
      /// What a closure captures: `self`, `captured Loader`, `captured variable`.
      public var captured: String?
      /// The file, and the line where the closure or property is written; `nil` if it is not known.
      public var file: String?
      public var line: Int?
      /// Whether a property is declared by `let`.
      public var isConstant = false

      public init(
        kind: Kind, name: String, captured: String? = nil, file: String? = nil, line: Int? = nil
      ) {
        self.kind = kind
        self.name = name
        self.captured = captured
        self.file = file
        self.line = line
      }
    }

    public var action: Action
    /// At least one; several for `captureWeakly`, `assignWeakly`, `declareWeak` (two cycles) and `makeOneWeak` only.
    public var places: [Place]
    /// The places that other findings of the same cause name, where each names one.
    public var otherPlaces: [Place] = []

    public init(_ action: Action, at places: [Place]) {
      self.action = action
      self.places = places
    }
  }
}

extension Finding.Hint.Place {
  /// Whether a closure captures a variable, or the value of an optional one.
  package var capturesVariable: Bool {
    captured.map { $0 == "captured variable" || $0.hasPrefix("captured Optional<") } ?? false
      || capturesFunction
  }

  /// Whether a closure captures a variable that holds the closure itself, or another function.
  package var capturesFunction: Bool { captured == "captured function variable" }
}

extension Finding.Hint.Action {
  /// Whether it makes a reference weak, or drops it: other cycles stay as they are.
  var cuts: Bool {
    switch self {
    case .captureWeakly, .declareWeak, .makeOneWeak, .setToNil, .captureParts, .limitProtocol, .removeEntry,
      .assignWeakly:
      true
    default: false
    }
  }

  /// Whether it ends a channel of SwiftNIO.
  var endsChannel: Bool { self == .closeChannel || self == .finishChannel }
}

extension Finding.Hint {
  /// The hint of most findings of one cause, with the places of the others; `nil` without hints.
  package static func merged(_ hints: [Self]) -> Self? {
    let each = hints.map { Self($0.action, at: $0.places) }
    let counts = Dictionary(each.lazy.map { ($0, 1) }, uniquingKeysWith: +)
    let most = counts.values.max()
    guard var merged = each.first(where: { counts[$0] == most }) else { return nil }
    var seen = Set(merged.places)
    let others = hints.filter { $0.action == merged.action && $0.places.count == 1 }
    merged.otherPlaces = others.flatMap { $0.places + $0.otherPlaces }.filter { seen.insert($0).inserted }
    return merged
  }

  /// The missing release, where all retains without one are of one call.
  init?(retainedAt sites: [Finding.RetainingCallSite]) {
    guard sites.count == 1, let frame = sites[0].frames.first, frame.isUserCode else { return nil }
    let place = Place(kind: .call, name: frame.qualifiedFunction, file: frame.file, line: frame.line)
    self.init(.release, at: [place])
  }
}

extension Finding.Hint {
  /// The call that adds to a collection.
  ///
  /// - Parameter trace: that of the last growth of its storage.
  /// - Returns: `nil` for a collection that its owner's initialiser or a dependency made.
  init?(addingAt trace: NamedTraces.Trace, _ traces: NamedTraces) {
    guard let frame = traces.caller(in: trace), !frame.isInitializer, !frame.isCheckedOut else { return nil }
    self.init(.limitCollection, at: [Place(caller: frame)])
  }
}

extension NamedTraces {
  /// The program's function that made the call.
  fileprivate func caller(in trace: Trace) -> NamedFrame? {
    trace.lazy.map { frames[$0] }.first { $0.origin == .user && !$0.isCompilerGenerated }
  }

  /// The call that added to a collection last.
  func call(adding id: UInt32) -> Finding.Hint.Place? {
    caller(in: fromCallSite(id)).map(Finding.Hint.Place.init(caller:))
  }
}

extension Finding.Hint.Place {
  /// A call, by the function that contains it.
  init(caller frame: NamedFrame) {
    self.init(kind: .call, name: frame.qualifiedFunction, file: frame.source.file, line: frame.source.line)
  }
}
