import Testing

@testable import LiveObjectsReport

@Suite struct CountTests {
  @Test(
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (1_023, "1,023 bytes"), (1_024, "1.0 KB"), (6_554, "6.4 KB"),
      (1_048_575, "1.0 MB"), (17_600, "17.2 KB"), (1_048_576, "1.0 MB"), (5 << 30, "5.0 GB"),
      (5 << 40, "5.0 TB"),
      (.max, "16,777,216.0 TB"),
    ] as [(UInt64, String)])
  func bytesAreShownInTheirUnit(count: UInt64, text: String) {
    #expect(Count.bytes(count) == text)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")])
  func digitsAreGrouped(count: Int, text: String) {
    #expect(Count.grouped(count) == text)
  }

  @Test func oneIsSingular() {
    #expect(Count.of(1, "type", "types") == "1 type")
    #expect(Count.of(0, "type", "types") == "0 types")
    #expect(Count.of(2_000, "type", "types") == "2,000 types")
  }
}
