internal import LiveObjectsAnalysis
internal import LiveObjectsCapture
internal import LiveObjectsReport

/// What a diff's objects are and where they were made, worked out when first asked for.
final class Explanation: Sendable {
  private struct Answer {
    var analysis: Analysis
    /// What could not be named.
    var notes: [String]
  }

  private let survivors: Survivors
  private let known = Locked<Answer?>(nil)
  private let knownGrowth = Locked<Analysis?>(nil)

  init(of survivors: Survivors) {
    self.survivors = survivors
  }

  private var capture: Capture { survivors.capture }

  /// Some objects were not recorded, or none at all.
  var isIncomplete: Bool {
    capture.tracking.state != .tracking || capture.tracking.droppedRecords > 0
  }

  /// Why it is not known what refers to what; `nil` if it is.
  var blindness: String? { capture.blindness }

  var analysis: Analysis { answer.analysis }

  private var answer: Answer { Self.once(known, explain) }

  /// The same without references, so that every instance shows at the call that made it: objects that hang
  /// together are one finding otherwise.
  private var growth: Analysis {
    Self.once(knownGrowth) {
      var unlinked = capture
      unlinked.graph = nil
      return ProcessNames.use { Analysis(of: unlinked, symbolicator: $0, options: options) }
    }
  }

  private static func once<Value>(_ known: Locked<Value?>, _ make: () -> Value) -> Value {
    Recorder.ignoring {
      known.withLock { known in
        let value = known ?? make()
        known = value
        return value
      }
    }
  }

  private func explain() -> Answer {
    ProcessNames.use { symbolicator in
      let analysis = Analysis(of: capture, symbolicator: symbolicator, options: options)
      return Answer(analysis: analysis, notes: symbolicator.notes)
    }
  }

  private var options: Analysis.Options {
    Analysis.Options(baseline: survivors.baseline, objects: survivors.objects, findsSystemTypes: true)
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
