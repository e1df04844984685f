import LiveObjectsAnalysis

/// One finding in a few lines, as the message of a test that fails because of it.
///
/// ```
/// retain cycle: Demo.Loader (2 objects, 96 bytes)
///   Loader.handler → closure #1 in Loader.start() → self (cycle closes)
///   allocated at LoaderTests.testLoad() LoaderTests.swift:17
/// ```
public struct FindingText: Sendable, Hashable, CustomStringConvertible {
  private static let listedCallSites = 3
  private static let listedFrames = 2

  /// Plain text, without control characters; the first line says what was found, the others explain it.
  public let lines: [String]

  public init(_ finding: Finding) {
    let path = ShownPath(of: finding).map { [$0.segments.joined(separator: " → ")] } ?? []
    let other =
      ShownPath(ofOtherCycleIn: finding).map { ["second cycle: \($0.segments.joined(separator: " → "))"] }
      ?? []
    let explanation =
      path + other + Self.hint(finding) + Self.allocatedAt(finding) + Self.retainedAt(finding.retainedAt)
      + finding.remarks.map { "note: \($0)" }
    let first = "\(finding.title) (\(Self.size(of: finding)))"
    lines = ([first] + explanation.map { "  " + $0 }).map(\.printable)
  }

  /// The lines, without an end of line behind the last.
  public var description: String { lines.joined(separator: "\n") }
}

extension FindingText {
  /// `2 objects, 96 bytes`, `5 instances, 20 objects, 640 bytes`
  private static func size(of finding: Finding) -> String {
    if let size = finding.collectionSize { return size }
    var parts: [String] = []
    if finding.instances > 1 { parts.append(Count.of(finding.instances, "instance", "instances")) }
    if finding.instances == 1 || finding.objects != finding.instances {
      parts.append(Count.of(finding.objects, "object", "objects"))
    }
    return (parts + [Count.bytes(finding.bytes)]).joined(separator: ", ")
  }

  private static func hint(_ finding: Finding) -> [String] {
    finding.hint.map { ["fix: \(HintText($0).text)"] } ?? []
  }

  private static func allocatedAt(_ finding: Finding) -> [String] {
    let groups = CallSiteGroup.groups(of: finding.allocatedAt).filter { !$0.frames.isEmpty }
    let listed = groups.prefix(listedCallSites).map { group in
      "allocated at \(text(of: group.frames))"
        + (groups.count > 1 ? " (\(group.timesOfTypes))" : "")
    }
    return listed + more(than: listed.count, of: groups.count + finding.omittedCallSites)
  }

  private static func retainedAt(_ sites: [Finding.RetainingCallSite]) -> [String] {
    let known = sites.filter { !$0.frames.isEmpty }
    let listed = known.prefix(listedCallSites).map { site in
      "retained at \(text(of: ShownFrame.frames(of: site.frames))) (+\(Count.grouped(site.unmatched)))"
    }
    return listed + more(than: listed.count, of: known.count)
  }

  private static func more(than listed: Int, of all: Int) -> [String] {
    Count.more(than: listed, of: all, "call site", "call sites").map { ["… \($0)"] } ?? []
  }

  /// `makeSUT() LoaderTests.swift:42, from LoaderTests.testLoad() LoaderTests.swift:17`
  private static func text(of frames: [ShownFrame]) -> String {
    frames.prefix(listedFrames).map { $0.location.isEmpty ? $0.function : "\($0.function) \($0.location)" }
      .joined(separator: ", from ")
  }
}

extension Finding {
  /// The verdict in plain words, then the type; that of a collection is short: `[String: [Int]]`.
  var title: String { "\(verdictText): \(isCollection ? type.withoutModules : type)" }

  /// Whether the objects are parts of collections, of which the type is the outermost.
  var isCollection: Bool {
    switch kind {
    case .arrayStorage, .dictionaryStorage, .setStorage, .stringStorage, .dataStorage: verdict == .heldBy
    default: false
    }
  }

  /// `300 elements, 301 objects, 26.8 KB`; `nil` for objects that are no collections.
  var collectionSize: String? {
    guard isCollection else { return nil }
    let names = kind == .dataStorage ? ("byte of data", "bytes of data") : ("element", "elements")
    let elements = elements.map { [Count.of($0, names.0, names.1)] } ?? []
    return (elements + [Count.of(objects, "object", "objects"), Count.bytes(bytes)]).joined(separator: ", ")
  }

  private var verdictText: String {
    if certainty == .undecided { return undecidedText }
    let isProbable = certainty == .probable
    return switch verdict {
    case .retainCycle: isProbable ? "probable retain cycle" : "retain cycle"
    case .overRetained: (isProbable ? "probably " : "") + "over-retained\(excess)"
    case .leakedTask: "task that is \(isProbable ? "probably " : "")never resumed"
    case .lostBuffer: isProbable ? "probably lost" : "lost"
    case .heldBy: (isProbable ? "probably " : "") + "held\(holder)"
    case .growth: "growth"
    }
  }

  private var undecidedText: String {
    switch verdict {
    case .leakedTask: "task that may never be resumed"
    case .lostBuffer: "may be lost"
    case .overRetained, .growth, .retainCycle, .heldBy: "may be over-retained\(excess)"
    }
  }

  /// The number of excess retains; for each instance where it is the same for all.
  private var excess: String {
    guard unexplainedRetains > 0, instances > 0 else { return "" }
    guard instances > 1 else { return " by \(Count.grouped(unexplainedRetains))" }
    let (each, rest) = unexplainedRetains.quotientAndRemainder(dividingBy: instances)
    return rest == 0 ? " by \(Count.grouped(each)) each" : " by \(Count.grouped(unexplainedRetains)) in all"
  }

  private var holder: String {
    guard let path = ShownPath(of: self) else { return "" }
    return " by \(isCollection ? path.property : path.holder(of: type))"
  }
}
