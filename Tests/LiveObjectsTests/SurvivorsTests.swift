import CaptureFixtures
import LiveObjectsCapture
import XCTest

@testable import LiveObjects

/// Which objects of a capture a diff counts.
final class SurvivorsTests: XCTestCase {
  private let everything = Attribution(scopes: nil, pauses: 9)

  private func types(_ survivors: Survivors) -> [String] {
    objects(survivors).map { survivors.capture.types[$0.type].name }
  }

  private func objects(_ survivors: Survivors) -> [LiveObject] {
    survivors.objects.map { survivors.capture.objects[$0] }
  }

  func testSingleDiffOwnsAllScopesButItsPauses() {
    var builder = CaptureBuilder()
    for scope: UInt32 in [0, 1, 2, 9] {
      builder.objects(of: builder.type("Demo.In\(scope)"), scope: scope)
    }
    let survivors = Survivors(in: builder.capture, passes: [0], attribution: everything, types: [])
    XCTAssertEqual(types(survivors), ["Demo.In0", "Demo.In1", "Demo.In2"])
    XCTAssertEqual(survivors.unattributed, 0)
  }

  func testConcurrentDiffOwnsItsScopesAndReportsUnattributedObjects() {
    var builder = CaptureBuilder()
    for scope: UInt32 in [0, 1, 2, 3, 9] {
      builder.objects(of: builder.type("Demo.In\(scope)"), scope: scope)
    }
    builder.objects(of: builder.type("", kind: .rawBuffer))
    let own = Attribution(scopes: [1, 2], pauses: 9)
    let survivors = Survivors(in: builder.capture, passes: [0], attribution: own, types: [])
    XCTAssertEqual(types(survivors), ["Demo.In1", "Demo.In2"])
    XCTAssertEqual(survivors.unattributed, 1)
  }

  func testFilterMatchesTheWholeName() {
    var builder = CaptureBuilder()
    for name in ["Demo.Loader", "Demo.Client", "Swift._ContiguousArrayStorage<Demo.Loader>", ""] {
      builder.objects(of: builder.type(name))
    }
    let survivors = Survivors(
      in: builder.capture, passes: [0], attribution: everything, types: ["Demo.L", "Nothing"])
    XCTAssertEqual(types(survivors), ["Demo.Loader", "Swift._ContiguousArrayStorage<Demo.Loader>"])
  }

  func testOnlyTypesThatGrewInEveryPassCount() {
    var builder = CaptureBuilder()
    let always = builder.type("Demo.Always")
    let once = builder.type("Demo.Once")
    builder.objects(of: always)
    builder.objects(of: once)
    let second = builder.capture.process.next + 1
    builder.objects(2, of: always)
    let survivors = Survivors(
      in: builder.capture, passes: [1, second], attribution: everything, types: [])
    XCTAssertEqual(types(survivors), ["Demo.Always", "Demo.Always", "Demo.Always"])
  }

  func testObjectsOfATestLibraryAreNotCounted() {
    var builder = CaptureBuilder()
    let library = builder.image("/usr/lib/swift/linux/libXCTest.so", isSystem: true)
    let core = builder.image("/usr/lib/swift/linux/libswiftCore.so", isSystem: true)
    let type = builder.type("Swift.__StringStorage")
    func trace(_ images: [Int]) -> UInt32 {
      builder.stackTrace(images.map { Frame(image: $0, offset: 16) })
    }
    let program = 0
    builder.objects(of: type, stackTrace: trace([core, library, core, program]))
    builder.objects(of: type, stackTrace: trace([core, program, library, program]))
    builder.objects(of: type)
    let survivors = Survivors(in: builder.capture, passes: [0], attribution: everything, types: [])
    XCTAssertEqual(objects(survivors).map(\.stackTrace), [2, 0])
  }

  func testPinnedObjectsAreNotInstances() {
    var builder = CaptureBuilder()
    builder.objects(of: builder.type("Demo.Pinned"), isPinned: true)
    let survivors = Survivors(in: builder.capture, passes: [0], attribution: everything, types: [])
    XCTAssertEqual(survivors.identities, [])
    XCTAssertTrue(LiveObjects.Diff(survivors).isClean)
  }

  func testDroppedRecordsAreNeverClean() {
    let lossy = CaptureBuilder(tracking: TrackingStatus(state: .tracking, droppedRecords: 1))
    let survivors = Survivors(in: lossy.capture, passes: [0], attribution: everything, types: [])
    XCTAssertFalse(LiveObjects.Diff(survivors).isClean)
  }
}
