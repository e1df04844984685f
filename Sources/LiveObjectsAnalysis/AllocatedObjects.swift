import LiveObjectsCapture

/// The objects that one stack trace allocated. Where only a sample of all objects has stack traces, these are
/// estimates: each object in it stands for several.
struct AllocatedObjects {
  let stackTrace: UInt32
  private(set) var estimate = Estimate()
  /// Indices into `Capture.types`.
  private(set) var types: Set<Int> = []
  /// Neighbours mostly have one type: no hash for each.
  private var lastType = -1

  init(stackTrace: UInt32, estimate: Estimate = Estimate()) {
    (self.stackTrace, self.estimate) = (stackTrace, estimate)
  }

  mutating func add(_ object: LiveObject, weight: Double) {
    estimate.add(object, weight: weight)
    guard object.type != lastType else { return }
    lastType = object.type
    types.insert(lastType)
  }
}

/// A number of objects and their bytes. Exact where each object counts once; those sums fit into the 53 bits
/// of a `Double`.
struct Estimate {
  private(set) var objects = 0.0
  private(set) var bytes = 0.0

  mutating func add(_ object: LiveObject, weight: Double) {
    objects += weight
    bytes += weight * Double(object.bytes)
  }

  static func += (sum: inout Estimate, other: Estimate) {
    sum.objects += other.objects
    sum.bytes += other.bytes
  }
}

extension Finding.CallSite {
  init(_ site: CallSites.Site, isEstimated: Bool, frames: [SourceFrame]) {
    self.init(
      instances: Int(clamping: UInt64(rounding: site.estimate.objects)),
      bytes: UInt64(rounding: site.estimate.bytes), frames: frames)
    self.isEstimated = isEstimated
    types = site.types.sorted()
  }
}

extension UInt64 {
  /// - Parameter value: at least 0; sizes in a damaged capture add up to anything.
  fileprivate init(rounding value: Double) { self = value < 0x1p64 ? UInt64(value.rounded()) : .max }
}

extension TrackingStatus {
  /// Whether only a sample of the objects has stack traces.
  var isSampled: Bool { sampleBytes > 0 }

  /// The number of objects that one with a stack trace stands for: the reciprocal of the probability that it has
  /// one. So sums over the objects with stack traces are unbiased estimates of sums over all objects.
  func weight(of object: LiveObject) -> Double {
    guard isSampled, object.stackTrace != 0 else { return 1 }
    return 1 / Self.oneMinusExp(Double(max(1, object.bytes)) / Double(sampleBytes))
  }

  /// 1 − exp(−x) for x > 0, from its series near 0, doubled: within 2 · 10⁻⁹ of the value.
  static func oneMinusExp(_ x: Double) -> Double {
    guard x > 1e-4 else { return x * (1 - x / 2) }
    let half = oneMinusExp(x / 2)
    return half * (2 - half)
  }
}
