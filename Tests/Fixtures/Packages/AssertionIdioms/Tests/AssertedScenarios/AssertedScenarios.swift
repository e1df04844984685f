import Foundation

extension Scenario {
  /// The scenario that `SCENARIO` names, or `all`. None without it, so that the package's other tests run without them.
  static var asserted: [Scenario] {
    let name = ProcessInfo.processInfo.environment["SCENARIO"]
    return name == "all" ? all : all.filter { $0.name == name }
  }
}
