import LiveObjectsSystem

/// The folder of a Swift package.
enum PackageFolder {
  /// The nearest folder with a manifest, of a folder and those that it is in; as SwiftPM searches.
  static func containing(_ path: String) -> String? {
    var folder = path.resolvingLinks
    while let current = folder {
      if "\(current)/Package.swift".resolvingLinks != nil { return current }
      folder = current == "/" ? nil : current.parentFolder
    }
    return nil
  }
}
