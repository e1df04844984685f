import CaptureFixtures
import LiveObjectsAnalysis
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
