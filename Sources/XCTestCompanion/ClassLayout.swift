#if canImport(XCTest)
  import XCTest

  /// The sizes of a class from its metadata.
  ///
  /// XCTest is compiled anew with each toolchain, and its classes' stored properties and methods are found by
  /// their positions, which this library has from its own toolchain. A class that adds nothing to its
  /// superclass has the sizes that the superclass had when it was compiled.
  struct ClassLayout: Equatable {
    /// Bytes of an instance, and of the metadata with all methods.
    private var instanceSize: UInt32
    private var metadataSize: UInt32

    /// Whether XCTest's classes are as they were when this library was compiled.
    static var isAsCompiled: Bool {
      ClassLayout(of: PlainRun.self) == ClassLayout(of: XCTestRun.self)
        && ClassLayout(of: PlainCaseRun.self) == ClassLayout(of: XCTestCaseRun.self)
        && ClassLayout(of: PlainCase.self) == ClassLayout(of: XCTestCase.self)
    }

    /// The fields of `TargetClassMetadata` without Objective-C, which is a part of the ABI.
    private init(of type: AnyClass) {
      let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
      instanceSize = metadata.load(fromByteOffset: 24, as: UInt32.self)
      metadataSize = metadata.load(fromByteOffset: 32, as: UInt32.self)
    }
  }

  private final class PlainRun: XCTestRun {}
  private final class PlainCaseRun: XCTestCaseRun {}
  private final class PlainCase: XCTestCase {}
#endif
