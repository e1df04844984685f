#if canImport(Glibc)
  // `environ` is a mutable global to Swift; reading it is as safe as any `getenv`.
  @preconcurrency import Glibc
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// The environment of this process.
package enum Environment {
  /// Every variable, as `NAME=value`.
  package static var variables: [String] {
    #if canImport(Darwin)
      var entry = _NSGetEnviron().pointee
    #else
      var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
    #endif
    var variables: [String] = []
    while let variable = entry.pointee {
      variables.append(String(cString: variable))
      entry += 1
    }
    return variables
  }

  /// Every variable but those named.
  package static func variables(without names: [String]) -> [String] {
    variables.filter { variable in !names.contains { variable.hasPrefix($0 + "=") } }
  }

  /// The folder in `TMPDIR`; `/tmp` if it is empty.
  package static var temporaryFolder: String {
    Self["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  package static subscript(name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

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
