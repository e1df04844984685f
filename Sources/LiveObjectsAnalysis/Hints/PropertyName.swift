/// What the name of a property says about its object.
struct PropertyName {
  /// In lower case, without the underscore of generated storage.
  private let text: String

  /// - Parameter path: the path to the property: `outer.inner.owner`.
  init(_ path: String) {
    text = path.components.last.map { $0.drop { $0 == "_" }.lowercased() } ?? ""
  }

  /// Whether the name is that of one or several observers, which usually own the object that calls them.
  var isObserver: Bool {
    let singular = text.hasSuffix("s") ? text.dropLast() : text[...]
    return ["delegate", "datasource", "observer", "listener", "subscriber"].contains(
      where: singular.hasSuffix)
  }

  /// Whether the object owns the one that has the property.
  var isBack: Bool {
    ["parent", "owner", "superview"].contains(where: text.hasSuffix) || ["previous", "prev"].contains(text)
  }
}
