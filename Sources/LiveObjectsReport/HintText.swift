import LiveObjectsAnalysis

/// How to fix a leak, in one sentence: what is written where, and what to do about it.
///
/// ```
/// closure #1 in Loader.load() captures self strongly, Loader.swift:24: capture it weakly
/// Item.parent is a strong reference, Folder.swift:7: declare it weak
/// make one of these references weak: Author.book, Book.swift:4; Book.author, Book.swift:9
/// ```
struct HintText {
  let text: String

  init(_ hint: Finding.Hint) {
    let facts = Self.facts(hint.places)
    let references = hint.places.map(Self.reference).joined(separator: "; ")
    // "…, Loader.swift:24, was not closed", "… was not closed"
    let comma = hint.places.last?.location == nil ? "" : ","
    let sentence =
      switch hint.action {
      case .captureWeakly, .declareWeak: "\(facts): \(Self.remedy(hint.places))"
      case .setToNil: "\(facts): \(Self.ending(hint.places[0]))"
      case .captureParts: "\(facts), as a part of a value: capture only the parts that it needs"
      case .limitProtocol:
        "\(facts): limit its protocol to classes (AnyObject), then \(Self.remedy(hint.places))"
      case .removeEntry:
        "the entry stored in \(references)\(comma) keeps its object: remove it when the object is not needed any more"
      case .makeOneWeak: "make one of these references weak: \(references)"
      case .release: "retained in \(references)\(comma) and never released: balance it with a release"
      case .cancelTask:
        "the task scheduled in \(references)\(comma) was not cancelled: cancel it when it is not needed any more"
      case .invalidateSession:
        "the session created in \(references)\(comma) holds its delegate until it is invalidated: "
          + "call finishTasksAndInvalidate() or invalidateAndCancel()"
      case .assignWeakly:
        "assign(to:on:) in \(references)\(comma) holds its object: use sink with a closure that captures it weakly"
      case .resumeContinuation:
        "the task in \(references)\(comma) waits for a continuation: resume it exactly once on every path"
      case .iterateCopy:
        "the task in \(references)\(comma) iterates its own stream: iterate a captured copy of the stream, "
          + "capture self weakly, and finish the stream in deinit, or finish it from outside"
      case .endObservation:
        "the task in \(references)\(comma) waits for changes of an object that only it keeps: "
          + "capture the object weakly, or cancel the task"
      case .finishStream: "the task in \(references)\(comma) waits for a stream: finish it on every path"
      case .limitCollection:
        "elements are added in \(references): remove them when they are not needed, or limit their number"
      case .cancelSource: "\(facts): \(Self.remedy(hint.places)), or cancel the dispatch source"
      case .resumeDispatchObject:
        "\(facts), and its dispatch source or queue is suspended: resume it, and cancel a source that is not needed any more"
      case .removeObserver: "\(facts): \(Self.remedy(hint.places)), or remove the observer"
      case .endTask: "end the task when the object that keeps it is not needed any more: \(references)"
      case .clearProperty:
        "XCTest keeps test cases until the process ends: clear \(references)\(comma) in tearDown(), "
          + "and call super.tearDown() in subclasses"
      case .closeChannel: "the channel created in \(references)\(comma) was not closed: close it"
      case .finishChannel:
        "the channel created in \(references)\(comma) was not finished: call finish(acceptAlreadyClosed: true), "
          + "which also runs its event loop"
      case .completePromise:
        "the promise created in \(references)\(comma) was not completed: succeed or fail it on every path, "
          + "before its event loop is shut down"
      }
    let others = Count.of(hint.otherPlaces.count, "other place", "other places")
    text = hint.otherPlaces.isEmpty ? sentence : "\(sentence) (\(others) in the JSON report)"
  }

  private static func remedy(_ places: [Finding.Hint.Place]) -> String {
    if places.count > 1 {
      if places[0].kind == .property { return "declare both weak" }
      return places.allSatisfy { $0.kind == .closure }
        ? "capture it weakly in each" : "use closures that capture it weakly"
    }
    return switch places[0].kind {
    case .closure: "capture it weakly"
    case .localFunction, .implicitClosure: "use a closure that captures it weakly"
    case .property where places[0].isConstant: "declare it as weak var"
    case .property, .call, .suspension: "declare it weak"
    }
  }

  /// What ends a cycle whose reference has to be strong.
  private static func ending(_ place: Finding.Hint.Place) -> String {
    if place.capturesFunction { return "set it to nil after the last call, or make it a local function" }
    return "set it to nil when \(place.capturesVariable ? "it" : "the object") is not needed any more"
  }

  /// `Pipeline.channel (Channel.swift:20) and Context.pipeline (Channel.swift:37) are strong references`
  private static func facts(_ places: [Finding.Hint.Place]) -> String {
    let captured = Set(places.map(\.captured))
    guard places.count > 1, captured.count == 1 else { return places.map(fact).joined(separator: ", and ") }
    let names = places.map { "\($0.name.withoutModules)\($0.location.map { " (\($0))" } ?? "")" }
    let fact = captured == [nil] ? "are strong references" : "capture \(places[0].capturedName) strongly"
    return "\(names.joined(separator: " and ")) \(fact)"
  }

  /// `closure #1 in Loader.load() captures self strongly, Loader.swift:24`
  private static func fact(_ place: Finding.Hint.Place) -> String {
    let name = place.name.withoutModules
    let isProperty = place.captured == nil
    let fact = isProperty ? "is a strong reference" : "captures \(place.capturedName) strongly"
    return "\(name) \(fact)\(place.suffix)"
  }

  /// `Loader.delegate, Loader.swift:7`; `self in closure #1 in Loader.load(), Loader.swift:24`
  private static func reference(at place: Finding.Hint.Place) -> String {
    let captured = place.captured.map { _ in "\(place.capturedName) in " } ?? ""
    return captured + place.name.withoutModules + place.suffix
  }
}

extension Finding.Hint.Place {
  fileprivate var capturedName: String {
    capturesVariable
      ? capturesFunction ? "a variable of a function" : "a variable"
      : String((captured ?? "").withoutModules.trimmingPrefix("captured "))
  }

  /// `Loader.swift:24`
  fileprivate var location: String? {
    file.map { file in
      let name = file.split(separator: "/").last.map(String.init) ?? file
      return name + (line.map { ":\($0)" } ?? "")
    }
  }

  fileprivate var suffix: String { location.map { ", \($0)" } ?? "" }
}
