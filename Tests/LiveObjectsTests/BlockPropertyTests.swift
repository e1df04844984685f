import LiveObjects
import XCTest

struct PlantedBlockValue {
  var block: @convention(block) () -> Void
  var number = 1
}

final class PlantedBlocks {
  let block: @convention(block) () -> Void = {}
  let optional: (@convention(block) () -> Void)? = {}
  let pair: (Int, @convention(block) () -> Void) = (1, {})
  let value = PlantedBlockValue(block: {})
}

final class BlockPropertyTests: XCTestCase {
  /// The runtime has no value witnesses for blocks on Linux, and crashes when it computes the layout of such a property.
  func testBlockPropertiesAreReadWithoutTheRuntimesLayout() throws {
    let diff = try LiveObjects.diff { plant(PlantedBlocks()) }
    XCTAssertEqual(diff.instances(of: PlantedBlocks.self), 1)
  }
}
