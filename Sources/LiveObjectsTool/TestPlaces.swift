import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSymbolication

/// The declarations of XCTest's test methods, from debug information: captures contain those of Swift Testing only.
struct TestPlaces {
  private var places: [String: SourceFrame] = [:]

  init(in captures: [Capture], by symbolicator: BinarySymbolicator) {
    for capture in captures {
      let entries = Self.entries(of: capture, by: symbolicator)
      symbolicator.prepare(Set(entries.values), of: capture)
      for (id, entry) in entries { places[id] = symbolicator.declaration(at: entry, of: capture) }
    }
  }

  /// Adds the places to tests without one.
  func add(to tests: inout [Report.Test]) {
    for index in tests.indices where tests[index].file == nil {
      guard let place = places[tests[index].id] else { continue }
      (tests[index].file, tests[index].line) = (place.file, place.line)
    }
  }

  /// The first instruction of each test method, by the test's id.
  private static func entries(of capture: Capture, by symbolicator: BinarySymbolicator) -> [String: Frame] {
    guard let image = capture.images.firstIndex(where: { $0.path == capture.process.executable }) else {
      return [:]
    }
    let tests = Set(capture.tests.lazy.filter { $0.library == .xctest }.map(\.id))
    return tests.reduce(into: [:]) { entries, id in
      // `DemoTests.LoaderTests/testLoad` is the method `DemoTests.LoaderTests.testLoad`.
      let method = id.withDotsForSlashes
      entries[id] = symbolicator.entry(of: [method], in: image, of: capture)
    }
  }
}
