internal import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture
internal import LiveObjectsReport

/// A capture of the heap, and the holders of single live objects in it.
///
/// Call all methods inside `Recorder.ignoring`.
package struct HolderReport {
  private let capture: Result<Capture, LiveObjects.TrackingError>

  package init() {
    do throws(LiveObjects.TrackingError) {
      try LiveObjects.requireTracking()
      capture = .success(try Recorder.capture(since: 0, references: true).decoded())
    } catch {
      capture = .failure(error)
    }
  }

  /// Whether properties of a holder hold all of the objects, directly or through others. Symbolicates
  /// nothing, and so costs little.
  package func isHolder(_ holder: AnyObject, of objects: [WatchedObject]) -> Bool {
    guard case .success(let capture) = capture else { return false }
    let indices = objects.compactMap { index(of: $0.address, in: capture) }
    let held = findings(on: indices.sorted(), in: capture)
    let type = TypeName(String(reflecting: type(of: holder))).text
    return held.allSatisfy { $0.verdict == .heldBy && $0.path.first?.type == type }
      && held.reduce(0) { $0 + $1.objects } == objects.count
  }

  /// The number of leaks among the objects of a scope and of those inside it; `nil` if unknown.
  package func leaks(in scope: UInt32) -> Int? {
    guard case .success(let capture) = capture, capture.evaluationFailure == nil else { return nil }
    let objects = capture.objects.indices.filter { capture.isObject(capture.objects[$0], of: scope) }
    return findings(on: Array(objects), in: capture)
      .count(where: FailOn.leaks.includes)
  }

  /// The reasons why objects are alive: objects of one finding have one. Deallocated objects are left out.
  package func explain(_ objects: [WatchedObject]) -> [ExplainedObjects] {
    explain(objects.compactMap(TypedObject.init))
  }

  func explain(_ objects: [TypedObject]) -> [ExplainedObjects] {
    switch capture {
    case .success(let capture):
      explained(objects, in: capture)
    case .failure(let error):
      objects.map { ExplainedObjects(types: [$0.type], evaluationFailure: "\(error)") }
    }
  }

  private func explained(
    _ objects: [TypedObject], in capture: Capture
  ) -> [ExplainedObjects] {
    let indices = objects.map { index(of: $0.address, in: capture) }
    let findings = findings(on: indices.compactMap(\.self).sorted(), in: capture) {
      ProcessNames.name($0, after: $1).analysis
    }
    var explained: [ExplainedObjects] = []
    for (object, index) in zip(objects, indices) {
      let finding = findings.first { $0.members.contains { $0.address == object.address } }
      if let equal = explained.firstIndex(where: { finding != nil && $0.finding == finding }) {
        explained[equal].types.append(object.type)
      } else {
        let failure =
          index == nil
          ? "it was allocated before tracking started" : capture.evaluationFailure
        explained.append(ExplainedObjects(types: [object.type], finding: finding, evaluationFailure: failure))
      }
    }
    return explained
  }

  private func index(of address: ObjectAddress, in capture: Capture) -> Int? {
    capture.objects.firstIndex { $0.address == address }
  }

  private func findings(
    on objects: [Int], in capture: Capture,
    named: (UnnamedAnalysis, _ subjects: Set<ObjectAddress>) -> Analysis = {
      $0.named(by: ImageNames(), after: $1)
    }
  ) -> [Finding] {
    if objects.isEmpty { return [] }
    let options = Analysis.Options(objects: objects, findsSystemTypes: true)
    return named(
      UnnamedAnalysis(of: capture, options: options), Set(objects.map { capture.objects[$0].address })
    )
    .findings
  }
}

extension Capture {
  /// Whether an object belongs to a scope, or to one opened inside it.
  fileprivate func isObject(_ object: LiveObject, of scope: UInt32) -> Bool {
    var current = object.scope
    // Every parent is smaller than its scope.
    while current > scope { current = scopeParents[current] ?? 0 }
    return current == scope
  }
}

/// Live objects with a common reason.
package struct ExplainedObjects: Sendable {
  /// Module-qualified, one per object.
  var types: [String]
  /// The finding about the objects, or about the leak that holds them.
  var finding: Finding?
  /// The reason why their holders are unknown.
  var evaluationFailure: String?

  /// The failure about the objects, with their holders and call sites.
  ///
  /// - Parameter fate: the text after "is" or "are".
  package func failure(_ fate: String) -> AssertionFailure {
    let text = "\(Self.list(types)) \(types.count == 1 ? "is" : "are") \(fate): \(reason)"
    return evaluationFailure == nil ? .object(text, finding) : .unwatched(text)
  }

  private var reason: String {
    guard let finding else { return unknown }
    let lines = FindingText(finding).lines
    guard let remark = remark(on: finding) else { return lines.joined(separator: "\n") }
    return ([remark] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  /// The relation of the objects to the finding, if it is about others.
  private func remark(on finding: Finding) -> String? {
    if finding.verdict == .growth { return unknown }
    let victims = types.filter { type in finding.type != type && !finding.path.contains { $0.type == type } }
    if victims.isEmpty { return nil }
    let subject = victims.count < types.count ? Self.list(victims) : them
    return "leaked objects hold \(subject)"
  }

  private var unknown: String {
    "\(types.count == 1 ? "its holder is" : "their holders are") unknown"
      + (evaluationFailure.map { ": \($0)" } ?? "")
  }

  private var them: String { types.count == 1 ? "it" : "them" }

  /// `A`, `A and B`, `A (2 ×), B and C`.
  private static func list(_ types: [String]) -> String {
    var counts: [(type: String, count: Int)] = []
    for type in types {
      if let index = counts.firstIndex(where: { $0.type == type }) {
        counts[index].count += 1
      } else {
        counts.append((type, 1))
      }
    }
    let names = counts.map { $0.count == 1 ? $0.type : "\($0.type) (\($0.count) ×)" }
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}
