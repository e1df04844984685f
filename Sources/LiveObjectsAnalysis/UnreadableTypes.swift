import LiveObjectsCapture

/// Types whose metadata could not be read: it went with its library, or was overwritten.
extension Capture {
  /// Objects without a readable type, by what such a type is called.
  package var unreadableTypes: [String: Int] {
    let names = types.map { isUnreadable($0) ? unreadableName(of: $0) : nil }
    return objects.reduce(into: [:]) { counts, object in
      if let name = names[object.type] { counts[name, default: 0] += 1 }
    }
  }

  func isUnreadable(_ type: TypeDescription) -> Bool {
    type.kind == .other && type.name.isEmpty
  }

  func unreadableName(of type: TypeDescription) -> String {
    let image = type.image.map { images[$0] }
    if let image, image.isUnloaded { return "type of \(image.name), unloaded" }
    return images.contains(where: \.isUnloaded) ? "type of an unloaded library" : "unreadable type"
  }
}
