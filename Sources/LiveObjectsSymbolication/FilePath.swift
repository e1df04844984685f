#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension String {
  /// A path without its last component.
  package var parentFolder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// A path that leads to the same file without any link; `nil` if there is no such file.
  package var resolvingLinks: String? {
    guard let resolved = realpath(self, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension UnsafeMutablePointer<dirent> {
  /// The name of a folder's entry.
  package var name: String {
    withUnsafeBytes(of: &pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
