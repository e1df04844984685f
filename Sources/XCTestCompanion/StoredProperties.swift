#if canImport(XCTest)
  @_spi(Reflection) import Swift
  import XCTest

  /// The stored properties of a test case that may hold an object: their offsets and names.
  ///
  /// They are read as words of memory: nothing is retained, and no code of the test runs.
  struct StoredProperties {
    private struct Property {
      var name: String
      var offset: Int
    }

    private let properties: [Property]

    /// - Parameter type: the class of the test case. Properties of XCTest's own class are left out.
    init(of type: XCTestCase.Type) {
      let inherited = Self.all(of: XCTestCase.self).count
      properties = Self.all(of: type).dropFirst(inherited).compactMap { $0 }
    }

    /// The first word of each property; 0 for none.
    func words(of testCase: XCTestCase) -> [(name: String, word: UInt)] {
      let start = UnsafeRawPointer(Unmanaged.passUnretained(testCase).toOpaque())
      return properties.map { ($0.name, start.load(fromByteOffset: $0.offset, as: UInt.self)) }
    }

    /// All properties in the order of their declaration, superclasses first; `nil` for one that holds no
    /// object in its first word.
    private static func all(of type: AnyClass) -> [Property?] {
      var properties: [Property?] = []
      // `.classType`, which is a mutable variable to Swift 6.
      let options = _EachFieldOptions(rawValue: 1)
      _ = _forEachField(of: type, options: options) { name, offset, type, kind in
        let isHolder = [.class, .optional, .existential].contains(kind) && isWord(type, at: offset)
        properties.append(isHolder ? Property(name: plain(String(cString: name)), offset: offset) : nil)
        return true
      }
      return properties
    }

    private static func isWord(_ type: Any.Type, at offset: Int) -> Bool {
      func size<T>(_: T.Type) -> Int { MemoryLayout<T>.size }
      let word = MemoryLayout<UInt>.size
      return _openExistential(type, do: size) >= word && offset % word == 0
    }

    private static func plain(_ name: String) -> String {
      let lazy = "$__lazy_storage_$_"
      return name.hasPrefix(lazy) ? String(name.dropFirst(lazy.count)) : name
    }
  }
#endif
