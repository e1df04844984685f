extension UInt64 {
  /// Adds, and stays at the greatest value where the sum does not fit: sizes in a damaged capture add
  /// up to anything.
  package mutating func add(saturating other: UInt64) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? .max : sum
  }
}
