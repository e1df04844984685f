import LiveObjects
import Testing

/// The runtime's own memory is not counted.
struct RuntimeMemoryTests {
  private final class Made<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private struct Wrapped<Value> { let value: Value }

  /// Makes an instance of a type that was not instantiated before, and of one for each level.
  @inline(never) @_optimize(none)
  private func make<Value>(_ value: Value, levels: Int) {
    _ = Made(value)
    if levels > 0 { make(Wrapped(value: value), levels: levels - 1) }
  }

  /// Of so many types that the runtime's pool of 16 KB cannot hold their metadata.
  @Test func metadataOfNewTypesIsNotCounted() throws {
    let diff = try LiveObjects.diff { make(Mark.first, levels: 120) }
    #expect(diff.instances == 0, "\(diff)")
  }

  private enum Mark { case first }
}
