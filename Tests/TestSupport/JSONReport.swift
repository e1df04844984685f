import Foundation

/// The fields of a JSON report that tests read.
public struct JSONReport: Decodable, Sendable {
  public struct Tracking: Decodable, Sendable {
    public var complete: Bool
    public var notes: [String]
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
  public struct Finding: Decodable, Sendable {
    public var verdict: String
    public var libraryLeak: Bool
    public var known: Bool
    public var type: String
    public var instances: Int
    public var test: String?
    public var `case`: String?
    public var allocatedAt: [CallSite]
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
