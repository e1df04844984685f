import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Projects store fingerprints in files, so the fields that a fingerprint depends on never change.
@Suite struct FingerprintTests {
  @Test func doesNotChangeBetweenVersions() {
    #expect(fingerprint(of: "Demo.Loader", in: "makeLoader()", line: 30) == "394e3c0c221f3607")
  }

  @Test func ignoresLinesAndAddresses() {
    let one = fingerprint(of: "Demo.Loader", in: "makeLoader()", line: 30, offset: 0x10)
    let other = fingerprint(of: "Demo.Loader", in: "makeLoader()", line: 99, offset: 0x5000)
    #expect(one == other)
    let local = ["55d0c8e08540", "7fcc12345678"].map { context in
      fingerprint(of: "Demo.(unknown context at $\(context)).Loader", in: "makeLoader()", line: 30)
    }
    #expect(local == [one, one])
  }

  @Test func dependsOnTypeAndFunction() {
    let fingerprints = [
      fingerprint(of: "Demo.Loader", in: "makeLoader()"), fingerprint(of: "Demo.Client", in: "makeLoader()"),
      fingerprint(of: "Demo.Loader", in: "makeClient()"),
    ]
    #expect(Set(fingerprints).count == 3)
  }

  @Test func hasSixteenHexadecimalDigits() {
    for index in 0..<200 {
      let fingerprint = fingerprint(of: "Demo.Type\(index)", in: "run()")
      #expect(fingerprint.count == 16 && fingerprint.allSatisfy(\.isHexDigit))
    }
  }

  /// Two subscriptions of one object are two elements of a set, which has another order in each process.
  ///
  /// - Parameter token: alphabetically before and after the object.
  @Test(arguments: [ReferenceLabel.Kind.member, .key, .value], ["Library.Token", "Any.Token"])
  func doesNotDependOnTheOrderOfASet(kind: ReferenceLabel.Kind, token: String) throws {
    let findings = [[0, 1], [1, 0]].map { order in
      var builder = CaptureBuilder()
      let symbolicator = TableSymbolicator()
      let (model, token) = (builder.type("Demo.Model"), builder.type(token))
      let (first, bag) = (builder.object(of: model), builder.object(of: builder.type("Library.Bag")))
      let tokens = order.map { _ in builder.object(of: token) }
      builder.reference(from: first, to: bag, property: "bag")
      for closure in order {
        symbolicator.define(UInt64(0x900 + closure), [.user("closure #\(closure + 1) in Model.bind()")])
        builder.reference(from: bag, to: tokens[closure], ReferenceLabel(kind))
      }
      for closure in order {
        builder.reference(
          from: tokens[closure], to: first, property: "action",
          function: builder.function(UInt64(0x900 + closure)))
      }
      return analyse(builder, symbolicator).findings.first { $0.verdict == .retainCycle }
    }
    #expect(findings[0]?.path.contains { $0.type.contains("closure #1 in") } == true)
    #expect(findings[0]?.path == findings[1]?.path)
    #expect(findings[0]?.fingerprint == findings[1]?.fingerprint)
  }

  private func fingerprint(
    of type: String, in function: String, line: Int = 1, offset: UInt64 = 0x10
  ) -> String {
    var builder = CaptureBuilder()
    let symbolicator = TableSymbolicator()
    symbolicator.define(offset, [.user(function, line: line)])
    builder.objects(of: builder.type(type), stackTrace: builder.stackTrace([offset]))
    return analyse(builder, symbolicator).findings.first?.fingerprint ?? ""
  }
}
