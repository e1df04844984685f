import Foundation

extension Scenario {
  /// The one that `SCENARIO` names; without it, all.
  static var asserted: [Scenario] {
    let name = ProcessInfo.processInfo.environment["SCENARIO"]
    return all.filter { name == nil || $0.name == name }
  }
}
