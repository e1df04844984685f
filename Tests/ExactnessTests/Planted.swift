import Foundation
import LiveObjectsCapture
import TestSupport

/// The truth about one kind of survivor, as the fixture `Survivors` prints it.
struct Planted: Decodable, CustomStringConvertible {
  var kind: String
  var type: String
  var count: Int
  var leastBytes: UInt64
  var mostBytes: UInt64
  var strongCount: UInt32
  var isPinned: Bool
  var function: String
  var line: Int

  var description: String { kind }

  static func truth(of run: ProgramRun) throws -> [Planted] {
    try JSONDecoder().decode([Planted].self, from: Data(run.standardOutput.utf8))
  }

  /// The objects of a capture that can only be these. Contexts and boxes have no name, so these are found by
  /// their size, and by lying in the program rather than in a library.
  func objects(in capture: Capture) -> [LiveObject] {
    let program = capture.images.firstIndex { $0.path == capture.process.executable }
    return capture.objects.filter { object in
      let described = capture.types[object.type]
      let isOfType =
        type.isEmpty
        ? described.kind == .closureContextOrBox && described.image == program
        : described.kind != .rawBuffer && described.name == type
      return isOfType && object.isPinned == isPinned && leastBytes <= object.bytes
        && object.bytes <= mostBytes
    }
  }
}
