import LiveObjectsCapture

/// One entry of a report: objects that were left behind, with verdict, path and call sites.
public struct Finding: Sendable, Hashable {
  /// Most important first.
  public enum Verdict: String, Sendable, CaseIterable {
    /// Unreachable objects that hold each other.
    case retainCycle
    /// Unreachable, with a strong count that no reference explains.
    case overRetained
    /// A suspended task that nothing can resume any more, and what it keeps alive.
    case leakedTask
    /// Raw memory that the program allocated, and to which nothing refers any more.
    case lostBuffer
    /// Grown, and reachable from a known holder.
    case heldBy
    /// Grown; the holder is unknown.
    case growth
  }
  /// How sure the finding is; the surest first.
  public enum Certainty: String, Sendable, CaseIterable {
    /// It follows from counts: the objects' own references account for all of their retains.
    case definite
    /// Nothing was found that holds the objects or can resume the task, or the finding depends on conservative
    /// references (words that may be pointers).
    case probable
    /// The objects may be a leak or in use: what would decide it could not be read, or is a word that may be old.
    case undecided
  }
  /// Why a finding fails nothing although the objects are the program's own.
  public enum Acceptance: Sendable, Hashable {
    /// The test that left the objects behind has declared them a known issue.
    case knownIssue
    /// An entry of the baseline.
    case baseline
    /// The text of a suppression that matches.
    case suppression(String)
  }
  /// One step on the path from a holder, or round a cycle.
  public struct PathStep: Sendable, Hashable {
    public var type: String
    public var reference: String
    public init(type: String, reference: String) {
      self.type = type
      self.reference = reference
    }
  }
  /// The victims of one type.
  public struct VictimType: Sendable, Hashable {
    public var type: String
    public var objects: Int
    public init(_ type: String, _ objects: Int) {
      self.type = type
      self.objects = objects
    }
  }
  /// Instances that were allocated by the same call.
  public struct CallSite: Sendable, Hashable {
    public var instances: Int
    /// Bytes asked for by the instances.
    public var bytes: UInt64
    /// Whether both numbers are estimates: only a sample of the objects has stack traces.
    public var isEstimated = false
    /// The types of the instances of a leak, sorted; empty for other findings.
    public var types: [String] = []
    /// Innermost first, the runtime's own trimmed.
    public var frames: [SourceFrame]
    public init(instances: Int, bytes: UInt64 = 0, frames: [SourceFrame]) {
      self.instances = instances
      self.bytes = bytes
      self.frames = frames
    }
  }
  /// Retains and releases of the instances by the same call.
  public struct RetainingCallSite: Sendable, Hashable {
    public var retains: Int
    public var releases: Int
    /// Innermost first, the runtime's own trimmed.
    public var frames: [SourceFrame]
    public init(retains: Int, releases: Int, frames: [SourceFrame]) {
      self.retains = retains
      self.releases = releases
      self.frames = frames
    }
  }

  /// Identifies a finding from run to run and from build to build.
  public var fingerprint: String
  public var verdict: Verdict
  public var certainty: Certainty
  /// Whether its objects and frames belong to the toolchain's libraries only.
  public var isLibraryLeak: Bool
  /// Why the finding fails nothing; `nil` for one that may fail.
  public var acceptance: Acceptance?
  /// The dependency whose code alone made and holds the objects; `nil` for those of the program's own, and for
  /// all that may be its own.
  public var dependency: String?
  public var type: String
  public var kind: ObjectKind
  /// Groups of connected objects; single objects where their references are unknown.
  public var instances: Int
  /// All objects in the groups, victims included.
  public var objects: Int
  /// Objects that a leaked group keeps alive and that are not part of the cycle; of held objects, others that the same
  /// task holds.
  public var victims: Int
  /// The types of the victims, your own first, each part with most objects first.
  public var victimTypes: [VictimType] = []
  /// Bytes that the objects keep alive, as far as counts and types show it: their own, those of victims, of the storage of
  /// collections, and of memory behind pointers. Of held objects and growth, only what came since the baseline, and not
  /// what another test allocated.
  public var bytes: UInt64
  /// Of these, the ones that no other finding counts: the sum over all findings counts nothing twice.
  public var ownBytes: UInt64
  /// The test that left the objects behind, as `swift test list` spells it.
  public var test: String?
  /// The arguments of the test's case, where it is a parameterised one.
  public var testCase: String?
  /// The steps from the holder to the object, or once round the cycle.
  public var path: [PathStep]
  /// Once round another cycle among the same objects, where no single reference breaks all of them.
  public var otherCycle: [PathStep] = []
  /// The calls that allocated the instances, most instances first.
  public var allocatedAt: [CallSite]
  /// Call sites with fewer instances that `allocatedAt` leaves out: recursive code has as many as it has
  /// depths.
  public var omittedCallSites: Int
  /// Calls that retained the instances and whose releases are missing, most such retains first; empty
  /// where retains were not recorded.
  public var retainedAt: [RetainingCallSite]
  /// Strong retains of the instances without a matching reference.
  public var unexplainedRetains: Int
  /// Human-readable sentences about what the path does not show.
  public var remarks: [String]
  /// How to fix the leak, or how to end what holds the objects; `nil` if that is not clear.
  public var hint: Hint?
  /// Whether a test names the finding: it tracks an object of the type, or calls it its system under test.
  package var isNamedByTest = false
  /// Whether running code has a weak reference to the leaked group, and may still break its cycle.
  package var mayBeReleased = false
  /// The number of elements that the collections at the end of the path hold, older ones included; of `Data`,
  /// bytes. `nil` for other findings, and where it is not known.
  public var elements: Int?
  /// The objects, where an assertion or a test requested those of its own; else empty.
  package var members: [TestFinding.Object] = []

  public init(
    fingerprint: String, verdict: Verdict, certainty: Certainty = .definite, isLibraryLeak: Bool = false,
    type: String,
    kind: ObjectKind, instances: Int, objects: Int, victims: Int = 0, bytes: UInt64,
    test: String? = nil, testCase: String? = nil, path: [PathStep] = [], allocatedAt: [CallSite] = [],
    omittedCallSites: Int = 0, retainedAt: [RetainingCallSite] = [], unexplainedRetains: Int = 0,
    remarks: [String] = []
  ) {
    self.fingerprint = fingerprint
    self.verdict = verdict
    self.certainty = certainty
    self.isLibraryLeak = isLibraryLeak
    self.type = type
    self.kind = kind
    self.instances = instances
    self.objects = objects
    self.victims = victims
    (self.bytes, ownBytes) = (bytes, bytes)
    self.test = test
    self.testCase = testCase
    self.path = path
    self.allocatedAt = allocatedAt
    self.omittedCallSites = omittedCallSites
    self.retainedAt = retainedAt
    self.unexplainedRetains = unexplainedRetains
    self.remarks = remarks
  }

  /// Whether it may fail: it is no leak of the toolchain's libraries, and was not accepted.
  package var isActionable: Bool { !isLibraryLeak && acceptance == nil }

  /// Whether the test that left the objects behind has declared them a known issue.
  package var isKnownIssue: Bool { acceptance == .knownIssue }

  /// Whether it is a dependency's own affair: it is no leak, and nothing of the program has to do with it.
  package var isInternal: Bool { dependency != nil && !isUnreachable }

  /// Whether the objects are a leak, definitely or probably.
  package var isLeak: Bool { isUnreachable && certainty != .undecided }

  /// Whether the objects are unreachable, as far as is known.
  package var isUnreachable: Bool {
    switch verdict {
    case .retainCycle, .overRetained, .leakedTask, .lostBuffer: true
    case .heldBy, .growth: false
    }
  }
}

// MARK: - Names

extension Finding {
  /// The object that names a cycle.
  struct Subject {
    var type: String
    var kind: ObjectKind
    /// Once round the cycle, from the object.
    var path: [PathStep]
    /// Whether a test tracks the object, or calls it its system under test.
    var isOfTest: Bool
  }

  mutating func name(after subject: Subject) {
    (type, kind, path) = (subject.type, subject.kind, subject.path)
    isNamedByTest = subject.isOfTest
  }
}

extension Finding.PathStep {
  /// `children[3].next` is `children[].next`. By bytes: paths may be long, and there may be many.
  package var referenceWithoutElements: String {
    var rest = Array(reference.utf8)[...]
    var kept: [UInt8] = []
    while let bracket = rest.firstIndex(of: UInt8(ascii: "[")) {
      let digits = rest[(bracket + 1)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let isElement = !digits.isEmpty && rest[digits.endIndex...].first == UInt8(ascii: "]")
      kept += rest[...bracket]
      rest = rest[(isElement ? digits.endIndex : bracket + 1)...]
    }
    return String(decoding: kept + rest, as: UTF8.self)
  }
}

// MARK: - Order

extension Finding {
  /// Leaks first, then held objects, then growth; of these the ones that keep most bytes alive, then most instances, then
  /// in the order of verdicts and of the alphabet.
  package static func precedes(_ a: Finding, _ b: Finding) -> Bool {
    let first = (a.part, b.bytes, b.instances, a.verdict.rank, a.type, a.fingerprint)
    let second = (b.part, a.bytes, a.instances, b.verdict.rank, b.type, b.fingerprint)
    guard first == second else { return first < second }
    return (a.test ?? "", a.testCase ?? "", a.acceptance == nil ? 0 : 1)
      < (b.test ?? "", b.testCase ?? "", b.acceptance == nil ? 0 : 1)
  }

  private var part: Int { isUnreachable ? 0 : verdict == .heldBy ? 1 : 2 }
}

extension Finding.Certainty: Comparable {
  public static func < (a: Self, b: Self) -> Bool {
    allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
  }
}

extension Finding.Verdict {
  private static let ranked = allCases

  fileprivate var rank: Int { Self.ranked.firstIndex(of: self)! }
}

/// A short name for a finding that stays the same from run to run and from build to build.
enum Fingerprint {
  /// FNV-1a, 64 bits: small, stable, and good enough where a report holds some hundreds.
  /// Fields are kept apart by a byte that UTF-8 does not use.
  static func make(_ fields: [String]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in fields.lazy.map({ Array($0.utf8) }).joined(separator: [0xff]) {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Finding {
  /// The fingerprints that the same objects have in other runs and builds, for baselines. They are growth where something
  /// may explain their retains, and over-retained where nothing does. An allocation that is the last call of a function
  /// has only the caller in an optimised build.
  package var otherFingerprints: [String] {
    guard verdict == .overRetained || verdict == .growth else { return [] }
    let functions = allocatedAt.flatMap { $0.frames.prefix(2).map { [$0.qualifiedFunction] } } + [[""], []]
    return [Verdict.overRetained, .growth].flatMap { verdict in
      functions.map { Fingerprint.make([verdict.rawValue, type] + $0) }
    }
  }
}

extension String {
  /// Whether a finding may have this fingerprint: 16 hexadecimal digits.
  package var isFingerprint: Bool {
    utf8.count == 16
      && utf8.allSatisfy {
        ("0"..."9").contains(Unicode.Scalar($0)) || ("a"..."f").contains(Unicode.Scalar($0))
      }
  }
}
