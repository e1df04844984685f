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
    let facts = hint.places.map(Self.fact).joined(separator: " and ")
    let references = hint.places.map(Self.reference).joined(separator: "; ")
    text =
      switch hint.action {
      case .captureWeakly, .declareWeak: "\(facts): \(Self.remedy(hint.places))"
      case .makeOneWeak: "make one of these references weak: \(references)"
      case .release: "retained in \(references), and never released: balance it with a release"
      case .cancelTask:
        "the task scheduled in \(references), was not cancelled: cancel it, or have it capture weakly"
      case .invalidateSession:
        "the session created in \(references), holds its delegate until it is invalidated: "
          + "call finishTasksAndInvalidate() or invalidateAndCancel()"
      case .resumeContinuation:
        "the task in \(references), waits for a continuation: resume it exactly once on every path"
      case .iterateCopy:
        "the task in \(references), iterates its own stream: iterate a captured copy of the stream, "
          + "or finish it from outside"
      case .finishStream: "the task in \(references), waits for a stream: finish it on every path"
      case .limitCollection:
        "elements are added in \(references): remove them when they are not needed, or limit their number"
      case .closeChannel: "the channel created in \(references), was not closed: close it"
      case .completePromise:
        "the promise created in \(references), was not completed: succeed or fail it on every path"
      }
  }

  private static func remedy(_ places: [Finding.Hint.Place]) -> String {
    if places.count > 1 {
      return places[0].kind == .property ? "declare both weak" : "capture it weakly in each"
    }
    return switch places[0].kind {
    case .closure where places[0].capturesVariable: "declare the variable weak, or set it to nil"
    case .closure: "capture it weakly"
    case .localFunction, .implicitClosure: "use a closure that captures it weakly"
    case .property, .call, .suspension: "declare it weak"
    }
  }

  /// `closure #1 in Loader.load() captures self strongly, Loader.swift:24`
  private static func fact(_ place: Finding.Hint.Place) -> String {
    let name = place.name.withoutModules
    let isProperty = place.captured == nil
    let fact = isProperty ? "is a strong reference" : "captures \(place.capturedName) strongly"
    return "\(name) \(fact)\(place.location)"
  }

  /// `Loader.delegate, Loader.swift:7`; `self in closure #1 in Loader.load(), Loader.swift:24`
  private static func reference(at place: Finding.Hint.Place) -> String {
    let captured = place.captured.map { _ in "\(place.capturedName) in " } ?? ""
    return captured + place.name.withoutModules + place.location
  }
}

extension Finding.Hint.Place {
  /// Whether a closure captures a variable, or the value of an optional one.
  fileprivate var capturesVariable: Bool {
    captured.map { $0 == "captured variable" || $0.hasPrefix("captured Optional<") } ?? false
  }

  fileprivate var capturedName: String {
    capturesVariable ? "a variable" : String((captured ?? "").withoutModules.trimmingPrefix("captured "))
  }

  fileprivate var location: String {
    guard let file else { return "" }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return ", \(name)" + (line.map { ":\($0)" } ?? "")
  }
}
