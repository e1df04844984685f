import LiveObjectsAnalysis

extension Finding {
  /// Whether the objects are unreachable and the program's own, and no known issue.
  var isLeak: Bool { isActionable && isUnreachable }

  /// Whether the objects are unreachable.
  var isUnreachable: Bool { verdict == .retainCycle || verdict == .overRetained }

  /// The verdict in plain words, then the type.
  var title: String { "\(verdictText): \(type)" }

  private var verdictText: String {
    let isProbable = certainty == .probable
    return switch verdict {
    case .retainCycle: isProbable ? "probable retain cycle" : "retain cycle"
    case .overRetained: (isProbable ? "probably " : "") + "over-retained\(excess)"
    case .heldBy: (isProbable ? "probably " : "") + "held\(holder)"
    case .growth: "growth"
    }
  }

  /// The number of excess retains; for each instance where it is the same for all.
  private var excess: String {
    guard unexplainedRetains > 0, instances > 0 else { return "" }
    guard instances > 1 else { return " by \(Count.grouped(unexplainedRetains))" }
    let (each, rest) = unexplainedRetains.quotientAndRemainder(dividingBy: instances)
    return rest == 0 ? " by \(Count.grouped(each)) each" : " by \(Count.grouped(unexplainedRetains)) in all"
  }

  private var holder: String { ShownPath(of: self).map { " by \($0.holder(of: type))" } ?? "" }
}
