import LiveObjectsAnalysis

/// The verdicts as rules of SARIF.
enum SARIFRules {
  private static let guide =
    "https://github.com/OWNER/LiveObjects/blob/main/Documentation/guides/reading-a-report.md"

  static var all: [JSONValue] { Finding.Verdict.allCases.map(rule) }

  static func index(of verdict: Finding.Verdict) -> Int { Finding.Verdict.allCases.firstIndex(of: verdict)! }

  private static func rule(_ verdict: Finding.Verdict) -> JSONValue {
    let (title, help) = text(on: verdict)
    return .object([
      "id": .string(verdict.rawValue),
      "shortDescription": .object(["text": .string(title)]),
      "help": .object(["text": .string(help)]),
      "helpUri": .string(guide),
      "defaultConfiguration": .object(["level": .string(level(of: verdict))]),
    ])
  }

  private static func level(of verdict: Finding.Verdict) -> String {
    switch verdict {
    case .retainCycle, .overRetained, .leakedTask, .lostBuffer: "error"
    case .heldBy, .growth: "note"
    }
  }

  private static func text(on verdict: Finding.Verdict) -> (title: String, help: String) {
    switch verdict {
    case .retainCycle:
      (
        "Objects hold each other.",
        "Nothing else holds the objects, so that they are never deallocated. Make one of the references weak."
      )
    case .overRetained:
      (
        "An object was retained once too often.",
        "Nothing refers to the object, but its strong count is not zero. Balance the retain with a release."
      )
    case .leakedTask:
      (
        "A task is never resumed.",
        "Only objects that the task keeps alive could resume it. Resume its continuation on every path, or "
          + "finish the stream that it waits for."
      )
    case .lostBuffer:
      (
        "Memory was not deallocated.",
        "The program allocated the memory, and nothing refers to it any more. Deallocate it before its last pointer "
          + "is replaced or goes out of scope."
      )
    case .heldBy:
      (
        "Objects are still held.",
        "A variable, an older object or a running task holds the objects. If that is not intended, remove them "
          + "there."
      )
    case .growth:
      (
        "Objects are still allocated.",
        "The objects were allocated and not deallocated; what holds them is not known."
      )
    }
  }
}
