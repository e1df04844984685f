import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report as a profile of live objects and bytes for `pprof`.
///
/// The numbers of messages and fields are those of `profile.proto` (https://github.com/google/pprof). Every sample
/// has the labels `type` and `verdict`, and `test` where a test left the objects behind.
package struct PprofRenderer {
  private struct Function: Hashable {
    var name: String
    var file: String
  }

  private struct Location: Hashable {
    var function: Function
    var line: Int
  }

  /// The only mapping: it tells `pprof` that there is nothing left to symbolicate.
  private static let mapping = 1

  private var profile = ProtobufWriter()
  private var strings = Numbering<String>()
  private var functions = Numbering<Function>()
  private var locations = Numbering<Location>()

  package var bytes: [UInt8] { profile.bytes }

  /// - Parameter moment: of a heap profile, whose samples have no verdicts.
  package init(of report: Report, at moment: ProfileMoment? = nil) {
    _ = strings.number(of: "")  // The format requires it to be the first.
    for (type, unit) in [("inuse_objects", "count"), ("inuse_space", "bytes")] {
      let (type, unit) = (strings.number(of: type), strings.number(of: unit))
      profile.message(1) {
        $0.integer(1, type)
        $0.integer(2, unit)
      }
    }
    let calls = CallSiteProfile(of: report)
    for sample in calls.samples { add(sample, of: report, labelsVerdict: moment == nil) }
    if calls.isEstimated {
      profile.integer(13, strings.number(of: "Numbers are estimates from a sample of the stack traces."))
    }
    addMapping(of: report)
    moment.map { addMoment($0) }
    addTables()
  }

  private mutating func add(_ sample: CallSiteProfile.Sample, of report: Report, labelsVerdict: Bool) {
    let frames = sample.frames.map { frame in
      let file = frame.file.map(report.run.relative)?.printable ?? ""
      let function = Function(name: frame.profileName, file: file)
      return locations.number(of: Location(function: function, line: frame.line ?? 0)) + 1
    }
    let labels = [
      ("type", sample.finding.type), ("test", sample.test),
      ("verdict", labelsVerdict ? sample.finding.verdict.rawValue : nil),
    ].compactMap { key, value in
      value.map { (strings.number(of: key), strings.number(of: $0.printable)) }
    }
    profile.message(2) {
      $0.packed(1, frames)
      $0.packed(2, [sample.objects, Int(clamping: sample.bytes)])
      for (key, value) in labels {
        $0.message(3) {
          $0.integer(1, key)
          $0.integer(2, value)
        }
      }
    }
  }

  private mutating func addMapping(of report: Report) {
    let file = strings.number(of: (report.processes.first?.executable ?? "").printable)
    profile.message(3) {
      $0.integer(1, Self.mapping)
      $0.integer(5, file)
      for field: UInt64 in 7...10 { $0.integer(field, 1) }  // has functions, files, lines, inlined frames
    }
  }

  /// Collectors store profiles by time, and name them by what a period counts. Every byte is counted.
  private mutating func addMoment(_ moment: ProfileMoment) {
    let (type, unit) = (strings.number(of: "space"), strings.number(of: "bytes"))
    profile.integer(9, moment.nanoseconds)
    profile.integer(10, moment.duration)
    profile.message(11) {
      $0.integer(1, type)
      $0.integer(2, unit)
    }
    profile.integer(12, 1)
    profile.integer(14, strings.number(of: "inuse_space"))
  }

  private mutating func addTables() {
    for (index, location) in locations.keys.enumerated() {
      let function = functions.number(of: location.function) + 1
      profile.message(4) {
        $0.integer(1, index + 1)
        $0.integer(2, Self.mapping)
        $0.message(4) {
          $0.integer(1, function)
          $0.integer(2, location.line)
        }
      }
    }
    for (index, function) in functions.keys.enumerated() {
      let (name, file) = (strings.number(of: function.name), strings.number(of: function.file))
      profile.message(5) {
        $0.integer(1, index + 1)
        for field: UInt64 in 2...3 { $0.integer(field, name) }
        $0.integer(4, file)
      }
    }
    for string in strings.keys { profile.string(6, string) }
  }
}

/// The time of a heap profile.
package struct ProfileMoment: Sendable {
  /// Since 1970.
  var nanoseconds: Int
  /// The nanoseconds of which the profile has the growth; 0 for all live objects.
  var duration: Int

  package init(nanoseconds: Int, duration: Int) {
    self.nanoseconds = nanoseconds
    self.duration = duration
  }
}
