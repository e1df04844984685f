import LiveObjectsAnalysis

extension Report {
  /// What changed from one report to another one. Leaks of the toolchain's libraries do not count.
  public struct Comparison: Sendable {
    /// A finding that both reports have, or one of them, with its size in each.
    public struct Change: Sendable {
      /// That of the later report, if it has the finding.
      public var finding: Finding
      /// In the earlier report: instances, of a collection elements. 0 for a new finding.
      public var before: Int
      /// In the later report; 0 for one that is gone.
      public var after: Int
    }

    /// A type with another number of live instances.
    public struct TypeChange: Sendable {
      public var type: String
      public var kind: ObjectKind
      public var before: Int
      public var after: Int
    }

    /// In the order of the later report.
    public var new: [Change] = []
    /// In the order of the earlier report.
    public var gone: [Change] = []
    /// In the order of the later report.
    public var grown: [Change] = []
    /// The number of findings that are as many as before, or fewer.
    public var same = 0
    /// Types with another number of live instances, greatest change first.
    public var types: [TypeChange] = []
  }

  /// Restricts the report to the findings that an earlier one does not have, or has with fewer instances.
  package mutating func compare(with earlier: Report) {
    let comparison = Comparison(from: earlier, to: self)
    let keys = Set((comparison.new + comparison.grown).map { ComparisonKey($0.finding) })
    keepFindings(as: .comparison) { keys.contains(ComparisonKey($0)) }
    if !earlier.tracking.sawEverything {
      tracking.notes.append("The earlier report is incomplete: what it lacks may be old, and counts as new.")
    }
    self.comparison = comparison
  }
}

/// Findings with equal keys are one. Cases of a parameterised test are one.
private struct ComparisonKey: Hashable {
  var fingerprint: String
  var test: String?

  init(_ finding: Finding) { (fingerprint, test) = (finding.fingerprint, finding.test) }
}

extension Report.Comparison {
  fileprivate init(from earlier: Report, to later: Report) {
    let (before, after) = (Self.sums(of: earlier), Self.sums(of: later))
    let sizes = Dictionary(uniqueKeysWithValues: before.map { (ComparisonKey($0), $0.extent) })
    for finding in after {
      let change = Change(
        finding: finding, before: sizes[ComparisonKey(finding)] ?? 0, after: finding.extent)
      if sizes[ComparisonKey(finding)] == nil {
        new.append(change)
      } else if change.after > change.before {
        grown.append(change)
      } else {
        same += 1
      }
    }
    let remaining = Set(after.map { ComparisonKey($0) })
    gone = before.filter { !remaining.contains(ComparisonKey($0)) }
      .map { Change(finding: $0, before: $0.extent, after: 0) }
    types = Self.types(from: earlier.types, to: later.types)
  }

  /// One finding for each key.
  private static func sums(of report: Report) -> [Finding] {
    Finding.merged(report.findings.filter { !$0.isLibraryLeak }, by: ComparisonKey.init)
  }

  private struct TypeKey: Hashable {
    var type: String
    var kind: ObjectKind
  }

  private static func types(from before: [TypeGrowth], to after: [TypeGrowth]) -> [TypeChange] {
    var changes: [TypeKey: TypeChange] = [:]
    for (types, number) in [(before, \TypeChange.before), (after, \TypeChange.after)] {
      for type in types {
        let key = TypeKey(type: type.type, kind: type.kind)
        changes[key, default: TypeChange(type: type.type, kind: type.kind, before: 0, after: 0)][
          keyPath: number] += type.live
      }
    }
    return changes.values.filter { $0.before != $0.after }.sorted { a, b in
      (abs(b.after - b.before), a.type, a.kind.rawValue) < (abs(a.after - a.before), b.type, b.kind.rawValue)
    }
  }
}

extension Finding {
  /// What grows: the elements of a collection, of other findings the instances.
  fileprivate var extent: Int { isCollection ? elements ?? objects : instances }
}
