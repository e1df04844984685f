internal import LiveObjectsCapture

/// A stored property of a test case that held an object until the end of the test's body, and was cleared.
package struct ClearedProperty: Sendable {
  private let name: String
  private let owner: String
  private let address: ObjectAddress
  /// The object has a smaller sequence number: a younger one may have its address now.
  private let mark: UInt64

  /// - Parameters:
  ///   - owner: the test case's class.
  ///   - word: the value of the property at the end of the body.
  ///   - mark: the recorder's sequence number at that time.
  package init(name: String, owner: String, word: UInt, mark: UInt64) {
    self.name = name
    self.owner = owner
    self.mark = mark
    address = ObjectAddress(UInt64(word))
  }

  func held(_ object: LiveObject) -> Bool {
    object.address == address && object.sequence < mark && !object.isPinned
  }

  var remark: String { "`\(name)` of \(owner) was cleared, but the object that it held is still alive." }
}
