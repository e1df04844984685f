infix operator +|: AdditionPrecedence
infix operator +|=: AssignmentPrecedence

extension UInt64 {
  /// The sum, or the greatest value where it does not fit: the sizes in a damaged capture add up to anything.
  package static func +| (a: UInt64, b: UInt64) -> UInt64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }

  package static func +|= (a: inout UInt64, b: UInt64) {
    a = a +| b
  }
}
