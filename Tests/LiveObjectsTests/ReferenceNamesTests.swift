import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class PlantedCollections {
  var list = (0..<3).map(GenericPlanted.init)
  var byName = Dictionary(uniqueKeysWithValues: (0..<3).map { ("\($0)", GenericPlanted($0)) })
  var members = Set((0..<3).map { "a member that is too long to be stored inline: \($0)" })
}

final class ReferenceNamesTests: XCTestCase {
  /// The storage of a dictionary is no property.
  func testCollectionsAreNamedAfterTheirProperties() throws {
    try LiveObjects.start()
    let planted = onHeap { PlantedCollections() }
    let capture = try Recorder.capture(since: 0, references: true).decoded()
    let graph = try XCTUnwrap(capture.graph)
    let references = graph.references.filter { reference in
      capture.types[capture.objects[Int(reference.source)].type].name.hasSuffix(".PlantedCollections")
    }
    XCTAssertEqual(
      references.map { graph.labels[Int($0.label)] },
      ["list", "byName", "members"].map { ReferenceLabel(.property, text: $0) })
    withExtendedLifetime(planted) {}
  }

  #if compiler(>=6.2)
    func testElementsOfInlineArraysHaveAnIndex() throws {
      try LiveObjects.start()
      let planted = onHeap { PlantedSlots() }
      let capture = try Recorder.capture(since: 0, references: true).decoded()
      let graph = try XCTUnwrap(capture.graph)
      let references = graph.references.filter { reference in
        capture.types[capture.objects[Int(reference.source)].type].name.hasSuffix(".PlantedSlots")
      }
      XCTAssertEqual(
        references.map { graph.labels[Int($0.label)].text },
        ["slots[0]", "slots[1]", "pairs[0].a", "pairs[0].b", "pairs[1].a", "pairs[1].b"])
      withExtendedLifetime(planted) {}
    }
  #endif
}

#if compiler(>=6.2)
  private final class PlantedSlots {
    var slots: InlineArray<2, GenericPlanted<Int>> = [GenericPlanted(0), GenericPlanted(1)]
    var pairs: InlineArray<2, (a: Planted, b: Planted)> = [(Planted(), Planted()), (Planted(), Planted())]
  }
#endif
