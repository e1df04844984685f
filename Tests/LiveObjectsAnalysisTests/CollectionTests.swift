import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct CollectionTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()
  private let arrayType: Int
  private let stringType: Int

  init() {
    arrayType = builder.type("Swift._ContiguousArrayStorage<Swift.String>")
    stringType = builder.type("Swift.__StringStorage")
  }

  @Test mutating func aGrownArrayIsReportedWithItsOwner() {
    let (storage, _) = array(of: 3, in: store(), "recent")
    builder.elements(storage, 3)
    let findings = collections()
    #expect(findings.map(\.type) == ["[Swift.String]"])
    #expect(findings.map(\.kind) == [.arrayStorage])
    #expect(findings.map(\.elements) == [3])
    #expect(findings.map(\.objects) == [4])
    #expect(findings.map(\.bytes) == [128])
    let path = [
      Finding.PathStep(type: "static Demo.Store.shared", reference: ""),
      Finding.PathStep(type: "Demo.Store", reference: "recent"),
    ]
    #expect(findings.map(\.path) == [path])
  }

  /// A stripped library has no names, C's have no module, and a process has more than one array of strings in there:
  /// `CommandLine.arguments`.
  @Test(arguments: [nil, "global arguments", "static Swift.CommandLine._arguments"])
  mutating func aCollectionOfTheToolchainIsNoFinding(variable: String?) {
    let library = builder.image("/usr/lib/swift/linux/libswiftCore.so", isSystem: true)
    let (storage, _) = array(of: 3, in: nil, "")
    builder.elements(storage, 3)
    builder.global(0x300, image: library, to: storage)
    if let variable { symbolicator.define(variable: 0x300, image: library, variable) }
    #expect(collections().isEmpty)
  }

  @Test mutating func nestedCollectionsAreOneFinding() {
    let storage = builder.object(
      of: builder.type("Swift._DictionaryStorage<Swift.Int, Swift.Array<Swift.String>>"))
    builder.reference(from: store(), to: storage, property: "byDay")
    for key in 0..<2 {
      let (inner, _) = array(of: 3, in: nil, "")
      builder.reference(from: storage, to: inner, ReferenceLabel(.value), element: UInt32(key))
      builder.elements(inner, 3)
    }
    builder.elements(storage, 2)
    let findings = collections()
    #expect(findings.map(\.type) == ["[Swift.Int: [Swift.String]]"])
    #expect(findings.map(\.objects) == [9])
    #expect(findings.map(\.elements) == [2])
  }

  @Test mutating func anArrayOfTheProgramsOwnObjectsIsNoSecondFinding() {
    let storage = builder.object(of: builder.type("Swift._ContiguousArrayStorage<Demo.Session>"))
    builder.reference(from: store(), to: storage, property: "sessions")
    for index in 0..<3 {
      let session = builder.object(of: builder.type("Demo.Session"))
      builder.reference(from: storage, to: session, ReferenceLabel(.element), element: UInt32(index))
    }
    builder.elements(storage, 3)
    #expect(analyse(builder, symbolicator).findings.map(\.type).sorted() == ["Demo.Session", "Demo.Store"])
  }

  @Test mutating func anArrayOfValuesWithAFewObjectsIsAFinding() {
    let (storage, _) = array(of: 9, in: store(), "entries")
    let session = builder.object(of: builder.type("Demo.Session"))
    builder.reference(from: storage, to: session, ReferenceLabel(.element, text: "session"), element: 9)
    builder.elements(storage, 10)
    #expect(collections().map(\.objects) == [10])
  }

  /// Entries of observers whose objects are held elsewhere, or are gone, are the program's to remove.
  @Test mutating func anArrayOfWeakReferencesIsAFinding() {
    let storage = builder.object(of: builder.type("Swift._ContiguousArrayStorage<Demo.WeakBox>"))
    builder.reference(from: store(), to: storage, property: "observers")
    let session = builder.object(of: builder.type("Demo.Session"))
    builder.reference(from: storage, to: session, ReferenceLabel(.element, ownership: .weak), element: 0)
    builder.elements(storage, 1)
    #expect(collections().map(\.type) == ["[Demo.WeakBox]"])
  }

  /// Room that was reserved, or kept when the elements were removed.
  @Test(arguments: [(64 << 10, 1, true), (1000, 1, false), (64 << 10, 100, false)])
  mutating func aLargeStorageWithoutElementsIsAFinding(bytes: Int, storages: Int, isFinding: Bool) {
    for _ in 0..<storages {
      let storage = builder.object(of: arrayType, bytes: UInt64(bytes / storages))
      builder.reference(from: store(), to: storage, property: "samples")
      builder.elements(storage, 0)
    }
    #expect(collections().map(\.elements) == (isFinding ? [0] : []))
    #expect(
      collections().map(\.remarks) == (isFinding ? [["The storage is reserved: it has no elements."]] : []))
  }

  /// A container of the program's own, with its elements behind a pointer.
  /// What was never initialised has the address of one of the program's objects.
  @Test mutating func oldWordsInMemoryOfTheProgramHideNoCollection() {
    let owner = store()
    let memory = builder.object(of: builder.type("", kind: .rawBuffer), bytes: 2000, strongCount: nil)
    builder.reference(from: owner, to: memory, property: "base", .unmanaged)
    for _ in 0..<4 {
      let text = builder.object(of: stringType, bytes: 500)
      builder.reference(from: memory, to: text, ReferenceLabel(.memory, ownership: .conservative))
    }
    let item = builder.object(of: builder.type("Demo.Item"))
    builder.reference(from: memory, to: item, ReferenceLabel(.memory, ownership: .conservative))
    #expect(collections().filter { $0.kind == .rawBuffer }.map(\.objects) == [5])
  }

  @Test(arguments: [ReferenceLabel.Ownership.unmanaged, .conservative])
  mutating func memoryBehindAPointerIsACollection(ownership: ReferenceLabel.Ownership) {
    let memory = builder.object(of: builder.type("", kind: .rawBuffer), bytes: 2000, strongCount: nil)
    builder.reference(from: store(), to: memory, ReferenceLabel(.memory, ownership: ownership))
    let text = builder.object(of: stringType)
    builder.reference(from: memory, to: text, ReferenceLabel(.memory, ownership: .conservative))
    let findings = collections()
    #expect(findings.map(\.kind) == (ownership == .unmanaged ? [.rawBuffer] : []))
    #expect(findings.map(\.objects) == (ownership == .unmanaged ? [2] : []))
  }

  @Test(arguments: [
    ("Foundation.NSMutableDictionary", "Foundation.NSMutableDictionary", ObjectKind.dictionaryStorage),
    ("FoundationEssentials.AttributedString.Guts", "Foundation.AttributedString", .stringStorage),
  ])
  mutating func collectionsOfFoundationAreFindings(storage: String, name: String, kind: ObjectKind) {
    let storage = builder.object(of: builder.type(storage, image: nil))
    builder.reference(from: store(), to: storage, property: "index")
    let inner = builder.object(of: builder.type("Foundation.NSString", image: nil))
    builder.reference(from: storage, to: inner, property: "_storage")
    let findings = analyse(builder, symbolicator).findings.filter { $0.type == name }
    #expect(findings.map(\.kind) == [kind])
    #expect(findings.map(\.objects) == [2])
  }

  @Test mutating func oversizedNumbersDoNotTrap() {
    let text = builder.object(of: builder.type("Swift.__StringStorage"), bytes: .max)
    builder.reference(from: store(), to: text, property: "text")
    #expect(collections().map(\.bytes) == [.max])
  }

  /// Two owners with one element each; one owner with two.
  @Test(arguments: [(2, 1, false), (1, 2, true), (3, 2, false), (3, 3, true)])
  mutating func contentsBelongToTheFindingOfTheirOwnersUnlessTheyAreMore(
    owners: Int, elements: Int, isFinding: Bool
  ) {
    let userType = builder.type("Demo.User")
    let list = builder.object(of: builder.type("Swift._ContiguousArrayStorage<Demo.User>"))
    builder.reference(from: store(), to: list, property: "users")
    builder.elements(list, UInt32(owners))
    for index in 0..<owners {
      let user = builder.object(of: userType)
      builder.reference(from: list, to: user, ReferenceLabel(.element), element: UInt32(index))
      let (storage, _) = array(of: elements, in: user, "tags")
      builder.elements(storage, UInt32(elements))
    }
    #expect(collections().map(\.type) == (isFinding ? ["[Swift.String]"] : []))
  }

  /// One array that a method adds to, those of two owners, and arrays that were made as they are.
  @Test(
    arguments: [
      ("Array.append(_:)", "Store.add(_:)", 1, true), ("Array.append(_:)", "Store.add(_:)", 2, false),
      ("Array.append(_:)", "Store.init(capacity:)", 1, false), (nil, "Store.add(_:)", 1, false),
      ("_allocateUninitializedArray<A>(_:)", "Store.add(_:)", 1, false),
      ("Dictionary.init(dictionaryLiteral:)", "Store.add(_:)", 1, false),
    ] as [(String?, String, Int, Bool)])
  mutating func aCollectionThatGrewHasTheCallThatAdds(
    callee: String?, function: String, owners: Int, hasHint: Bool
  ) {
    let trace = builder.stackTrace([0x10])
    symbolicator.define(0x10, (callee.map { [.system($0, module: "Swift")] } ?? []) + [.user(function)])
    let list = builder.object(of: builder.type("Swift._ContiguousArrayStorage<Demo.User>"))
    builder.reference(from: store(), to: list, property: "users")
    let userType = builder.type("Demo.User")
    for index in 0..<owners {
      let user = builder.object(of: userType)
      builder.reference(from: list, to: user, ReferenceLabel(.element), element: UInt32(index))
      let storage = builder.object(of: arrayType, stackTrace: trace)
      builder.reference(from: user, to: storage, property: "names")
      builder.elements(storage, 9)
    }
    let hints = collections().map { $0.hint?.places.map(\.name) }
    #expect(hints == [hasHint ? ["Demo.\(function)"] : nil])
  }

  /// Elements of one array, which may be captured by closures; a single element, and those of two arrays, have no hint.
  @Test(arguments: [(2, 1, false, true), (2, 1, true, true), (1, 1, false, false), (2, 2, false, false)])
  mutating func objectsInACollectionHaveTheCallThatAdds(
    count: Int, arrays: Int, areCaptured: Bool, hasHint: Bool
  ) {
    let trace = builder.stackTrace([0x10])
    symbolicator.define(0x10, [.system("Array.append(_:)", module: "Swift"), .user("Store.add(_:)")])
    let (store, type) = (store(), builder.type("Demo.Session"))
    let (list, context) = (
      builder.type("Swift._ContiguousArrayStorage<Demo.Session>"),
      builder.type("", kind: .closureContextOrBox)
    )
    for _ in 0..<arrays {
      let storage = builder.object(of: list, stackTrace: trace)
      builder.reference(from: store, to: storage, property: "sessions")
      for index in 0..<count {
        let session = builder.object(of: type)
        let element = areCaptured ? builder.object(of: context) : session
        builder.reference(from: storage, to: element, ReferenceLabel(.element), element: UInt32(index))
        if areCaptured {
          builder.reference(from: element, to: session, ReferenceLabel(.capture, text: "Demo.Session"))
        }
      }
    }
    let session = analyse(builder, symbolicator).findings.first { $0.type == "Demo.Session" }
    #expect(session?.hint?.places.map(\.name) == (hasHint ? ["Demo.Store.add(_:)"] : nil))
  }

  @Test mutating func onlyNewElementsCountInOlderStorage() {
    let owner = store()
    let (storage, strings) = array(of: 3, in: owner, "recent")
    builder.elements(storage, 3)
    let baseline = builder.capture.objects[Int(strings[1])].sequence
    let findings = collections(Analysis.Options(baseline: baseline))
    #expect(findings.map(\.objects) == [2])
    #expect(findings.map(\.elements) == [3])
  }

  @Test mutating func withoutACountTheElementsAreNotKnown() {
    _ = array(of: 3, in: store(), "recent")
    let findings = collections()
    #expect(findings.map(\.objects) == [4])
    #expect(findings.map(\.elements) == [nil])
  }

  @Test mutating func theFirstValueOfAVariableHasNotGrown() {
    let trace = builder.stackTrace([0x10, 0x20])
    symbolicator.define(0x10, [.user("one-time initialization function for table")])
    symbolicator.define(0x20, [.user("Demo.main()")])
    let storage = builder.object(
      of: builder.type("Swift._ContiguousArrayStorage<Swift.Int>"), stackTrace: trace)
    builder.elements(storage, 100)
    builder.global(0x100, to: storage)
    symbolicator.define(variable: 0x100, "static Demo.Tables.table")
    #expect(collections().isEmpty)
  }

  @Test(arguments: ["static Foundation.Cache.shared", "global Swift.table"])
  mutating func aVariableOfTheToolchainOwnsNothingOfTheProgram(name: String) {
    let (storage, _) = array(of: 3, in: nil, "")
    builder.global(0x100, to: storage)
    symbolicator.define(variable: 0x100, name)
    #expect(collections().isEmpty)
  }

  @Test mutating func anObjectOfTheToolchainOwnsNothingOfTheProgram() {
    let decoder = builder.object(of: builder.type("Foundation.JSONDecoder"))
    builder.reference(from: store(), to: decoder, property: "decoder")
    _ = array(of: 3, in: decoder, "keys")
    #expect(collections().isEmpty)
  }

  @Test(arguments: [(UInt64(1023), false), (1024, true)])
  mutating func aShortStringIsNoFinding(bytes: UInt64, isFinding: Bool) {
    let text = builder.object(of: builder.type("Swift.__StringStorage"), bytes: bytes)
    builder.reference(from: store(), to: text, property: "text")
    #expect(collections().map(\.type) == (isFinding ? ["Swift.String"] : []))
  }

  @Test mutating func theBytesOfDataCount() {
    let data = builder.object(of: builder.type("FoundationEssentials.__DataStorage"))
    builder.reference(from: store(), to: data, property: "received._representation.storage")
    builder.elements(data, 5000)
    let findings = collections()
    #expect(findings.map(\.type) == ["Foundation.Data"])
    #expect(findings.map(\.elements) == [5000])
    #expect(findings.map(\.path.last?.reference) == ["received"])
  }

  @Test mutating func theRunsThatLeftTheObjectsAreNamed() {
    let (_, strings) = array(of: 4, in: store(), "recent")
    var options = Analysis.Options(baseline: builder.capture.objects[Int(strings[0])].sequence)
    options.runs = [0, 2].map { builder.capture.objects[Int(strings[$0])].sequence }
    #expect(collections(options).map(\.remarks) == [["The 2 runs left 2 of the objects each."]])
  }

  @Test(arguments: [
    ("Swift._ContiguousArrayStorage<Swift.Array<Swift.Optional<Demo.A>>>", "[[Demo.A?]]"),
    ("Swift._ContiguousArrayStorage<(Swift.Int, Swift.String)>", "[(Swift.Int, Swift.String)]"),
    (
      "Swift._ContiguousArrayStorage<(Swift.Int) -> Swift.Array<Swift.Int>>",
      "[(Swift.Int) -> Swift.Array<Swift.Int>]"
    ),
    (
      "Swift._DictionaryStorage<Demo.Key<Swift.Int, Swift.Int>, Swift.Int>",
      "[Demo.Key<Swift.Int, Swift.Int>: Swift.Int]"
    ),
    ("Swift._SetStorage<Swift.String>", "Swift.Set<Swift.String>"),
  ])
  mutating func aCollectionHasTheNameOfItsType(storage: String, name: String) {
    let storage = builder.object(of: builder.type(storage))
    builder.elements(storage, 3)
    builder.reference(from: store(), to: storage, property: "values")
    #expect(collections().map(\.type) == [name])
  }
}

extension CollectionTests {
  private mutating func store() -> UInt32 {
    let store = builder.object(of: builder.type("Demo.Store"))
    builder.global(0x200, to: store)
    symbolicator.define(variable: 0x200, "static Demo.Store.shared")
    return store
  }

  /// An array of strings in a property.
  private mutating func array(
    of count: Int, in owner: UInt32?, _ property: String
  ) -> (storage: UInt32, strings: [UInt32]) {
    let storage = builder.object(of: arrayType)
    if let owner { builder.reference(from: owner, to: storage, property: property) }
    let strings = (0..<count).map { index in
      let string = builder.object(of: stringType)
      builder.reference(from: storage, to: string, ReferenceLabel(.element), element: UInt32(index))
      return string
    }
    return (storage, strings)
  }

  private func collections(_ options: Analysis.Options = Analysis.Options()) -> [Finding] {
    analyse(builder, symbolicator, options: options).findings.filter {
      !["Demo.Store", "Demo.User", "Demo.Session"].contains($0.type)
    }
  }
}
