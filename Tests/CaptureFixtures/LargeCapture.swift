import LiveObjectsCapture

/// A large capture of a process with tests: cycles of two objects each, of a type of their own for each finding.
public enum LargeCapture {
  fileprivate static let callSites = 4
  fileprivate static let depth: UInt64 = 12
  private static let findingsOfTest = 20

  /// - Parameters:
  ///   - findings: how many there are.
  ///   - objects: of each finding, a multiple of 8.
  ///   - image: the program and its build id; its code names the frames.
  public static func builder(
    findings: Int, objects: Int, image: (path: String, buildID: [UInt8]) = ("/app/demo", [1, 2, 3, 4])
  ) -> CaptureBuilder {
    var builder = CaptureBuilder(executable: image.path, buildID: image.buildID)
    builder.capture.images[0].addresses = 1 << 32..<1 << 33
    builder.heapGraph()
    for test in stride(from: 0, to: findings, by: findingsOfTest) {
      builder.test("DemoTests.Tests\(test / 1000)/test\(test)") { builder, _ in
        for finding in test..<min(test + findingsOfTest, findings) { builder.leak(finding, objects) }
      }
    }
    let label = builder.label(ReferenceLabel(.property, ownership: .strong, text: "delegate"))
    builder.references(
      builder.capture.objects.indices.map { Reference(from: UInt32($0), to: UInt32($0 ^ 1), label: label) })
    return builder
  }
}

extension LargeCapture {
  /// An address in 16 MB of code. Every function on a stack is called by half as many as it calls.
  fileprivate static func frame(_ call: UInt64, depth: UInt64) -> UInt64 {
    (0x100000 + call * 0x130 + depth * 0x1f40) % 0x1000000
  }
}

extension CaptureBuilder {
  fileprivate mutating func leak(_ finding: Int, _ count: Int) {
    let type = type("Demo.Type\(finding)")
    for site in 0..<LargeCapture.callSites {
      let callSite = UInt64(finding * LargeCapture.callSites + site)
      let frames = (0..<LargeCapture.depth).map { LargeCapture.frame(callSite >> $0, depth: $0) }
      let stackTrace = stackTrace(frames)
      objects(count / LargeCapture.callSites, of: type, stackTrace: stackTrace)
    }
  }
}
