/// The test that allocated an object, if any, and whether the test has declared the object a known issue.
struct ObjectOwner: Hashable {
  /// No test.
  static let unattributed = ObjectOwner(test: nil)

  /// The number of the test plus one, 0 for none, and the known issue in the lowest bit: a heap has tens of
  /// millions of objects.
  private let bits: UInt32

  /// - Parameter test: index into `Capture.tests`; `nil` for none.
  init(test: Int?, isKnownIssue: Bool = false) {
    bits = UInt32((test ?? -1) + 1) << 1 | (isKnownIssue ? 1 : 0)
  }

  /// Index into `Capture.tests`; `nil` for an unattributed object.
  var test: Int? { bits >> 1 == 0 ? nil : Int(bits >> 1) - 1 }

  var isKnownIssue: Bool { bits & 1 == 1 }
}
