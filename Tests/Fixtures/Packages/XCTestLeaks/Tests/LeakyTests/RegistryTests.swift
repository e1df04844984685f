import Leaky
import XCTest

/// Variables that keep what a test made, or merely know it.
final class RegistryTests: XCTestCase {
  nonisolated(unsafe) private static var cache: [String: [Token]] = [:]
  nonisolated(unsafe) private static var counted: Set<ObjectIdentifier> = []
  nonisolated(unsafe) private static unowned var latest: Loader?
  nonisolated(unsafe) private static weak var observed: Loader?

  func testA_fillsACache() { Self.cache["tokens"] = [Token(), Token()] }

  func testB_leaksALoaderThatIsCounted() { Self.counted.insert(ObjectIdentifier(leak())) }

  func testC_leaksALoaderThatIsTheLatest() { Self.latest = leak() }

  func testD_leaksALoaderThatIsObserved() { Self.observed = leak() }

  func testE_leaksALoaderBesideACache() {
    Self.cache["more"] = [Token()]
    _ = leak()
  }

  @inline(never) @_optimize(none)
  private func leak() -> Loader {
    let loader = Loader()
    loader.observe()
    return loader
  }
}
