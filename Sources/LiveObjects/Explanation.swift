internal import LiveObjectsAnalysis
internal import LiveObjectsCapture
internal import LiveObjectsReport

/// What a diff's objects are and where they were made, worked out when first asked for.
final class Explanation: Sendable {
  private struct Answer {
    var analysis: Analysis
    /// The same without references, so that every instance shows at the call that made it: objects that hang
    /// together are one finding otherwise.
    var growth: Analysis
    /// What could not be named.
    var notes: [String]
  }

  private let survivors: Survivors
  private let known = Locked<Answer?>(nil)

  init(of survivors: Survivors) {
    self.survivors = survivors
  }

  private var capture: Capture { survivors.capture }

  /// Some objects were not recorded, or none at all.
  var isIncomplete: Bool {
    capture.tracking.state != .tracking || capture.tracking.droppedRecords > 0
  }

  var analysis: Analysis { answer.analysis }

  private var answer: Answer {
    Recorder.ignoring {
      known.withLock { known in
        let answer = known ?? explain()
        known = answer
        return answer
      }
    }
  }

  private func explain() -> Answer {
    let symbolicator = BinarySymbolicator()
    let options = Analysis.Options(
      baseline: survivors.baseline, objects: survivors.objects, findsSystemTypes: true)
    var unlinked = capture
    unlinked.graph = nil
    return Answer(
      analysis: Analysis(of: capture, symbolicator: symbolicator, options: options),
      growth: Analysis(of: unlinked, symbolicator: symbolicator, options: options),
      notes: symbolicator.notes)
  }

  func text(notes: [String]) -> String {
    Recorder.ignoring {
      let answer = answer
      return TextRenderer(failOn: nil).render(
        Report(of: [(capture, answer.analysis)], notes: answer.notes + notes))
    }
  }

  var callSites: [LiveObjects.CallSite] {
    Recorder.ignoring {
      answer.growth.findings.flatMap { finding in
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
