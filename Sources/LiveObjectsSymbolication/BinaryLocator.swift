import LiveObjectsCapture
import LiveObjectsSystem

/// Finds the files that a capture's images came from, and checks that they are still the same.
///
/// Answers are kept for as long as the file that was found is the same.
final class BinaryLocator {
  enum Location: Hashable {
    /// - otherBuilds: files of the folder with this name and another build id.
    case file(String, otherBuilds: [String])
    /// A file is there, and its build id is another one.
    case otherBuild
    case missing
  }

  private let folder: String?
  private(set) lazy var mounts = MountTable()
  private var known: [Image: (location: Location, version: FileVersion?)] = [:]
  private lazy var filesOfFolder: [String] = folder.map(Self.files(below:)) ?? []
  private lazy var filesByBuildID = Dictionary(
    filesOfFolder.compactMap { path in
      file(at: path).flatMap { $0.buildID.isEmpty ? nil : ($0.buildID, $0.path) }
    }, uniquingKeysWith: { first, _ in first })

  /// - Parameter folder: the folder to search, at any depth, before an image's own path is tried.
  init(folder: String?) { self.folder = folder }

  func location(of image: Image) -> Location {
    // A process may live on while its files are built anew.
    if let known = known[image], known.version == known.location.version { return known.location }
    let location = find(image)
    known[image] = (location, location.version)
    return location
  }

  private func find(_ image: Image) -> Location {
    if !image.buildID.isEmpty, let path = filesByBuildID[image.buildID] {
      return .file(path, otherBuilds: [])
    }
    let candidates = filesOfFolder.filter { $0.fileName == image.path.fileName } + [image.path]
    let files = candidates.compactMap(file(at:))
    guard !files.isEmpty else { return .missing }
    guard let match = files.firstIndex(where: { $0.buildID == image.buildID }) else { return .otherBuild }
    return .file(files[match].path, otherBuilds: files[..<match].map(\.path))
  }

  private func file(at path: String) -> ELFFile? { mounts.storedFile(path).flatMap(ELFFile.init(path:)) }

  private static func files(below folder: String) -> [String] {
    entries(ofFolder: folder).flatMap { name, isFolder in
      isFolder ? files(below: "\(folder)/\(name)") : ["\(folder)/\(name)"]
    }.sorted()
  }
}

extension BinaryLocator.Location {
  /// `nil` where there is no file.
  fileprivate var version: FileVersion? {
    guard case .file(let path, _) = self else { return nil }
    return FileVersion(ofFileAt: path)
  }
}
