import Foundation

/// The fields of a JSON report that tests read.
public struct JSONReport: Decodable, Sendable {
  public struct Tracking: Decodable, Sendable {
    public var complete: Bool
    public var notes: [String]
    public var details: [String]
    public var droppedRecords: Int
    public var unevaluated: [String]
    public var unwatchedProcesses: Int
  }
  public struct Test: Decodable, Hashable, Sendable {
    public var id: String
    public var `case`: String?
    public var library: String
    public var outcome: String
    public var evaluated: Bool
    public var findings: [String]
  }
  public struct Frame: Decodable, Sendable {
    public var function: String?
    public var file: String?
    public var line: Int?
  }
  public struct CallSite: Decodable, Sendable {
    public var instances: Int
    public var estimated: Bool?
    public var frames: [Frame]
  }
  public struct RetainingCallSite: Decodable, Sendable {
    public var retains: Int
    public var releases: Int
    public var frames: [Frame]
  }
  public struct Step: Decodable, Sendable {
    public var type: String
    public var reference: String
  }
  public struct Hint: Decodable, Sendable {
    public struct Place: Decodable, Sendable {
      public var kind: String
      public var name: String
      public var captured: String?
      public var file: String?
      public var line: Int?
    }
    public var action: String
    public var text: String
    public var places: [Place]
  }
  public struct Finding: Decodable, Sendable {
    public var fingerprint: String
    public var verdict: String
    public var certainty: String
    public var libraryLeak: Bool
    public var known: Bool
    public var type: String
    public var instances: Int
    public var objects: Int
    public var elements: Int?
    public var victims: Int
    public var test: String?
    public var `case`: String?
    public var path: [Step]
    public var allocatedAt: [CallSite]
    public var retainedAt: [RetainingCallSite]
    public var unexplainedRetains: Int
    public var remarks: [String]
    public var hint: Hint?
  }
  public struct TypeRow: Decodable, Sendable {
    public var type: String
    public var live: Int
    public var growth: Int
    public var pinned: Int
  }
  public struct Process: Decodable, Sendable {}
  public var schemaVersion: Int
  public var processes: [Process]
  public var tracking: Tracking
  public var tests: [Test]
  public var findings: [Finding]
  public var types: [TypeRow]

  public init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) }
}
