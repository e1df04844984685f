import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture

@testable import LiveObjectsReport

/// A finding of every verdict.
enum ExplainedFindings {
  /// A loader keeps a client, the client's spy keeps a closure, the closure captured the loader.
  static let cycle = {
    var finding = cycleWithoutVictims
    finding.victimTypes = [
      .init("Demo.Session", 2), .init("Demo.Token", 1), .init("Swift.String", 1), .init("[Swift.UInt8]", 1),
    ]
    return finding
  }()

  private static let cycleWithoutVictims = Finding(
    fingerprint: "00000000000000c1", verdict: .retainCycle, type: "Demo.Loader", kind: .classInstance,
    instances: 5,
    objects: 20, victims: 5, bytes: 640,
    path: [
      .init(type: "Demo.Loader", reference: "client"),
      .init(type: "DemoTests.ClientSpy", reference: "requests[0].completion"),
      .init(type: "closure #1 in Demo.Loader.load(completion:)", reference: "self"),
    ],
    allocatedAt: [
      site(
        of: ["Demo.Loader"],
        [
          .user("makeSUT()", module: "DemoTests", file: "/src/Tests/LoaderTests.swift", line: 42),
          .user(
            "LoaderTests.testLoad()", module: "DemoTests", file: "/src/Tests/LoaderTests.swift", line: 17),
        ]),
      site(
        of: ["[DemoTests.Request]", "closure or box"],
        [.user("ClientSpy.get(_:)", module: "DemoTests", line: 9)]),
    ])

  private static func site(of types: [String], _ frames: [SourceFrame]) -> Finding.CallSite {
    var site = Finding.CallSite(instances: 5, frames: frames)
    site.types = types
    return site
  }

  static let probableCycle = Finding(
    fingerprint: "00000000000000c2", verdict: .retainCycle, certainty: .probable, type: "Demo.Node",
    kind: .classInstance,
    instances: 1, objects: 2, bytes: 64,
    path: [.init(type: "Demo.Node", reference: "next"), .init(type: "Demo.Node", reference: "previous")])

  static let overRetained = Finding(
    fingerprint: "00000000000000d1", verdict: .overRetained, type: "Demo.Session", kind: .classInstance,
    instances: 2,
    objects: 2, bytes: 96,
    allocatedAt: [.init(instances: 2, frames: [.user("Session.open()", line: 8)])],
    retainedAt: [
      .init(
        retains: 3, releases: 1,
        frames: [.user("Session.keep()", line: 12), .user("Session.open()", line: 9)]),
      .init(retains: 1, releases: 0, frames: []),
    ], unexplainedRetains: 2, remarks: ["One more retain was made where the recorder cannot see it."])

  static let heldByStatic = Finding(
    fingerprint: "00000000000000a1", verdict: .heldBy, type: "Demo.Item", kind: .classInstance, instances: 12,
    objects: 12,
    bytes: 384,
    path: [
      .init(type: "static Demo.Registry.shared", reference: ""),
      .init(type: "Demo.Registry", reference: "byName[value]"),
    ], allocatedAt: [.init(instances: 12, frames: [.user("Registry.item(named:)", line: 31)])])

  static let growth = Finding(
    fingerprint: "00000000000000b1", verdict: .growth, type: "Demo.Job", kind: .classInstance, instances: 3,
    objects: 3,
    bytes: 144, allocatedAt: [.init(instances: 3, frames: [.user("Queue.add()", line: 77)])],
    unexplainedRetains: 3, remarks: ["3 retains are not explained; another thread may hold them."])

  static let libraryLeak = Finding(
    fingerprint: "00000000000000e1", verdict: .retainCycle, isLibraryLeak: true, type: "Foundation.Timer",
    kind: .classInstance, instances: 3, objects: 9, bytes: 720,
    path: [
      .init(type: "Foundation.Timer", reference: "_timer"),
      .init(type: "Foundation.__NSCFType", reference: ""),
    ])

  static let all = [cycle, overRetained, probableCycle, heldByStatic, growth, libraryLeak]

  /// - Parameter status: how well the heap was read; `nil` where that was not asked for.
  static func report(
    _ findings: [Finding] = all, status: HeapGraph.Status? = HeapGraph().status
  ) -> Report {
    var capture = CaptureBuilder().capture
    capture.graph = status.map { HeapGraph(status: $0) }
    var report = Report(of: [(capture, Analysis(of: capture, symbolicator: TableSymbolicator()))])
    report.findings = findings
    return report
  }
}
