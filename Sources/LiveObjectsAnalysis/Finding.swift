/// Something a report says about objects that were left behind.
public struct Finding: Sendable, Hashable {
  public enum Verdict: String, Sendable, CaseIterable {
    case retainCycle, overRetained, heldBy, growth
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
  /// Instances that were allocated by the same call.
  public struct CallSite: Sendable, Hashable {
    public var instances: Int
    /// Innermost first, the runtime's own trimmed.
    public var frames: [SourceFrame]
    public init(instances: Int, frames: [SourceFrame]) {
      self.instances = instances
      self.frames = frames
    }
  }

  public var fingerprint: String
  public var verdict: Verdict
  public var isLibraryLeak: Bool
  public var type: String
  public var kind: ObjectKind
  public var instances: Int
  public var objects: Int
  public var victims: Int
  public var bytes: UInt64
  public var test: String?
  public var path: [PathStep]
  public var allocatedAt: [CallSite]

  public init(
    fingerprint: String, verdict: Verdict, isLibraryLeak: Bool = false, type: String,
    kind: ObjectKind, instances: Int, objects: Int, victims: Int = 0, bytes: UInt64,
    test: String? = nil, path: [PathStep] = [], allocatedAt: [CallSite] = []
  ) {
    self.fingerprint = fingerprint
    self.verdict = verdict
    self.isLibraryLeak = isLibraryLeak
    self.type = type
    self.kind = kind
    self.instances = instances
    self.objects = objects
    self.victims = victims
    self.bytes = bytes
    self.test = test
    self.path = path
    self.allocatedAt = allocatedAt
  }
}

/// What sort of thing an object is, for people.
public enum ObjectKind: String, Sendable, CaseIterable {
  case classInstance = "class"
  case actor
  case closure
  case box
  case arrayStorage = "array storage"
  case dictionaryStorage = "dictionary storage"
  case setStorage = "set storage"
  case stringStorage = "string storage"
  case error
  case rawBuffer = "raw buffer"
  case other
}
