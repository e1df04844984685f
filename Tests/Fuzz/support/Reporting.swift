import Glibc
import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport

/// How far the inputs of a run came. Printed at its end, because inputs that the first check rejects do not test
/// the code behind it.
struct Reach {
  private var counts: [(name: String, count: Int)] = []

  mutating func add(_ name: String, _ count: Int = 1) {
    if let index = counts.firstIndex(where: { $0.name == name }) {
      counts[index].count += count
    } else {
      if counts.isEmpty { atexit { reach.print() } }
      counts.append((name, count))
    }
  }

  private func print() {
    var line = "reach: " + counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ") + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

nonisolated(unsafe) var reach = Reach()

/// Analyses captures, writes both reports, and stops the process where one could act on a terminal or where the two
/// disagree about what there is.
func report(on captures: [Capture]) {
  let analysed = captures.map { ($0, Analysis(of: $0, symbolicator: MadeUpNames())) }
  let report = Report(of: analysed)
  let text = TextRenderer(color: false).render(report)
  let json = JSONRenderer().render(report)
  precondition(isHarmless(text) && isHarmless(json), "a report holds a control character")
  for finding in report.findings.prefix(4) { precondition(isHarmless(FindingText(finding).description)) }
  precondition(!report.isClean || report.findings.isEmpty, "clean, with findings")
  reach.add("reports")
  for verdict in Set(report.findings.map(\.verdict.rawValue)).sorted() { reach.add("with \(verdict)") }
}

/// No control character, of either set, but the end of a line.
private func isHarmless(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && !(0x7f...0x9f).contains($0.value)) }
}

/// Names code by its address, in every shape that names have.
private struct MadeUpNames: Symbolicator {
  private static let functions: [String?] = [
    "load()", "Loader.load(completion:)", "closure #1 in Loader.load(completion:)",
    "Loader.__allocating_init()",
    "reabstraction thunk helper", "swift_allocObject", "main", "start_thread", nil, "Outer.Inner.init(a:_:)",
    "closure #2 in closure #1 in static Registry.shared.getter", "\u{1b}]0;x\u{7}\u{202e}",
  ]
  private static let files: [String?] = ["/src/Loader.swift", "<compiler-generated>", nil, "\u{9b}2J\n"]

  func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]] {
    Dictionary(uniqueKeysWithValues: frames.map { ($0, Self.names(of: $0)) })
  }

  private static func names(of frame: Frame) -> [SourceFrame] {
    (0...Int(frame.offset >> 7 & 1)).map { inlined in
      let number = Int(frame.offset & 0xffff) + inlined
      return SourceFrame(
        function: functions[number % functions.count], module: number & 32 == 0 ? "Demo" : "libswiftCore.so",
        file: files[number / 3 % files.count], line: number & 16 == 0 ? number : nil,
        isSystem: number & 64 != 0)
    }
  }

  func name(variables: Set<Frame>, of capture: Capture) -> [Frame: String] {
    Dictionary(
      uniqueKeysWithValues: variables.lazy.filter { $0.offset & 1 == 0 }.map {
        ($0, $0.offset & 2 == 0 ? "static Demo.Registry.shared" : "global Demo.cache")
      })
  }
}
