import LiveObjectsCapture

/// The result of analysing a capture: growth per type, and findings.
public struct Analysis: Sendable {
  /// All types with objects in the capture, those that grew most first.
  public var types: [TypeGrowth]
  /// Findings about the program's own types, or about all types if requested, most instances first.
  public var findings: [Finding]
  /// Findings that tests failed with, and whose objects have been deallocated since.
  public var released: [Finding] = []

  /// - Parameters:
  ///   - capture: the capture to analyse.
  ///   - symbolicator: names the frames that findings show. `prepare` gets all of them first.
  ///   - options: the objects that count.
  public init(
    of capture: Capture, symbolicator: some Symbolicator, options: Options = Options()
  ) {
    let unnamed = UnnamedAnalysis(of: capture, options: options)
    symbolicator.prepare(unnamed.frames, of: capture)
    self = unnamed.named(by: symbolicator)
  }

  init(types: [TypeGrowth], findings: [Finding], released: [Finding] = []) {
    (self.types, self.findings, self.released) = (types, findings, released)
  }
}

extension Analysis {
  /// The objects that count.
  public struct Options: Sendable, Hashable {
    /// Objects with a smaller sequence number are live, but not growth.
    public var baseline: UInt64
    /// Indices of the objects that count, ascending; `nil` for all. The others are there as holders only.
    public var objects: [Int]?
    /// Index of the only test whose objects count, into `Capture.tests`; `nil` for all. Objects from before
    /// it began are older objects then, whatever the baseline.
    public var test: Int?
    /// Only types whose full name contains one of these count; empty for all.
    public var typeFilters: [String]
    /// Findings for the toolchain's types and for raw buffers too, not for the program's own types only.
    public var findsSystemTypes: Bool

    public init(
      baseline: UInt64 = 0, objects: [Int]? = nil, test: Int? = nil, typeFilters: [String] = [],
      findsSystemTypes: Bool = false
    ) {
      self.baseline = baseline
      self.objects = objects
      self.test = test
      self.typeFilters = typeFilters
      self.findsSystemTypes = findsSystemTypes
    }

    func includes(_ type: String) -> Bool {
      typeFilters.isEmpty || typeFilters.contains(where: type.contains)
    }

    func finds(_ label: TypeLabel) -> Bool {
      label.isUserDefined || findsSystemTypes
    }

    /// Whether a report shows the group's stack trace: only such traces are symbolicated, and those that name
    /// objects.
    func needsTrace(_ group: ObjectGroup, label: TypeLabel?) -> Bool {
      guard let label else { return true }
      return finds(label) && group.tally.growth > 0
    }
  }
}
