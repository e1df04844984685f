import LiveObjectsCapture

/// Types whose metadata could not be read: its library was unloaded, or it was overwritten.
extension Capture {
  /// Objects without a readable type, by the name of such a type.
  package var unreadableTypes: [String: Int] {
    let other = unreadableName
    let names = types.map { isUnreadable($0) ? unreadableName(of: $0, else: other) : nil }
    return objects.reduce(into: [:]) { counts, object in
      if let name = names[object.type] { counts[name, default: 0] += 1 }
    }
  }

  func isUnreadable(_ type: TypeDescription) -> Bool {
    type.kind == .other && type.name.isEmpty
  }

  /// - Parameter other: `unreadableName`, made once for all types.
  func unreadableName(of type: TypeDescription, else other: String) -> String {
    if let image = type.image.map({ images[$0] }), image.isUnloaded {
      return "type of \(image.name), unloaded"
    }
    return other
  }

  /// The name for types of which not even the image is known. It examines all images.
  var unreadableName: String {
    images.contains(where: \.isUnloaded) ? "type of an unloaded library" : "unreadable type"
  }
}
