internal import LiveObjectsAnalysis
internal import LiveObjectsCapture
internal import LiveObjectsReport

/// The analysis of a diff's objects, computed when first used.
final class Explanation: Sendable {
  /// With notes about names that are missing.
  private typealias Answer = (analysis: Analysis, notes: [String])

  private let survivors: Survivors
  private let cachedAnswer = Locked<Answer?>(nil)
  private let cachedGrowth = Locked<Answer?>(nil)

  init(of survivors: Survivors) {
    self.survivors = survivors
  }

  private var capture: Capture { survivors.capture }

  /// Whether objects were not recorded.
  var isIncomplete: Bool {
    let tracking = capture.tracking
    return tracking.state != .tracking || tracking.droppedRecords > 0 || tracking.missesObjects
  }

  /// The reason why references are unknown; `nil` if they are known.
  var evaluationFailure: String? { capture.evaluationFailure }

  var analysis: Analysis { answer.analysis }

  private var answer: Answer { answer(cachedAnswer, of: capture) }

  /// The analysis without references, which lists every instance at its allocating call: connected objects
  /// are one finding otherwise.
  private var growth: Analysis {
    var unlinked = capture
    unlinked.graph = nil
    return answer(cachedGrowth, of: unlinked).analysis
  }

  private func answer(_ cache: Locked<Answer?>, of capture: Capture) -> Answer {
    Recorder.ignoring {
      cache.withLock { cached in
        let answer = cached ?? ProcessNames.name(UnnamedAnalysis(of: capture, options: options))
        cached = answer
        return answer
      }
    }
  }

  private var options: Analysis.Options {
    var options = Analysis.Options(
      baseline: survivors.baseline, objects: survivors.objects, findsSystemTypes: true)
    options.runs = survivors.passes
    return options
  }

  func text(notes: [String]) -> String {
    Recorder.ignoring {
      let answer = answer
      var report = Report(of: [(capture, answer.analysis)], notes: answer.notes + notes)
      report.run.failOn = nil
      return TextRenderer(listing: [.types]).render(report)
    }
  }

  var callSites: [LiveObjects.CallSite] {
    Recorder.ignoring {
      growth.findings.flatMap { finding in
        finding.allocatedAt.map {
          LiveObjects.CallSite(type: finding.type, instances: $0.instances, frames: $0.frames)
        }
      }
      .sorted { $0.instances > $1.instances }
    }
  }

  func instances(of type: AnyClass) -> Int {
    let metadata = UInt64(UInt(bitPattern: ObjectIdentifier(type)))
    return survivors.alive.count { capture.types[$0.type].metadata == metadata }
  }
}

extension Capture {
  /// The reason why references are unknown; `nil` if they are known.
  package var evaluationFailure: String? { graph?.status.evaluationFailure }
}
