import Foundation

extension Scenario {
  /// The one that `SCENARIO` names, or `all`. Without it none, so that the package's other tests run by themselves.
  static var asserted: [Scenario] {
    let name = ProcessInfo.processInfo.environment["SCENARIO"]
    return name == "all" ? all : all.filter { $0.name == name }
  }
}
