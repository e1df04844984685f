import LiveObjects
import XCTest

// In debug only: the optimiser's own time doubles with each level.
#if DEBUG

  private final class Leaf {}

  private enum Either<Value> {
    case left(Value)
    case right(Value)
    case neither
  }
  private typealias Nested4<Value> = Either<Either<Either<Either<Value>>>>
  private typealias Nested16<Value> = Nested4<Nested4<Nested4<Nested4<Value>>>>

  private final class NestedEnumOwner {
    var value = Nested16<Nested16<Nested16<Leaf>>>.neither
  }

  final class NestedEnumTests: XCTestCase {
    /// Of 48 levels with two cases each, the innermost type would be looked at 2⁴⁸ times.
    func testNestedEnumsAreReadOnce() throws {
      let diff = try LiveObjects.diff { plant(NestedEnumOwner()) }
      XCTAssertEqual(diff.instances(of: NestedEnumOwner.self), 1)
    }
  }

#endif
