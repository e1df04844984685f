import Foundation

/// A folder that is removed, with all in it, when the last reference to it goes.
public final class TemporaryFolder: Sendable {
  /// The folder's own path.
  public let path: String

  public init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("LiveObjectsTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the folder.
  public func path(_ name: String) -> String { path + "/" + name }

  /// Writes a source file; one in C without another name.
  ///
  /// - Returns: Its path.
  @discardableResult
  public func source(_ text: String, named name: String = "main.c") throws -> String {
    try write(text.utf8, as: name)
  }

  /// Writes a file.
  ///
  /// - Returns: Its path.
  @discardableResult
  public func write(_ bytes: some Sequence<UInt8>, as name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// The names of all files in the folder, sorted.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// The bytes of a file in the folder.
  public func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// A file in the folder as text; bytes that are not UTF-8 are replaced.
  public func text(of name: String) throws -> String {
    String(decoding: try bytes(of: name), as: UTF8.self)
  }
}
